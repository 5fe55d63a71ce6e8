#!/usr/bin/env bash
# A Slurm of one node out of Debian's packages, started for this test alone: an array of four tasks on the CPU subject, of which one is
# killed in the middle and requeued, and the merge behind it must be VALIDATED. Then one part is taken away, and the merge must name it.
# Needs root, as munged and slurmd do. TIER: quick.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d /tmp/attest-slurm-XXXXXX)
export SLURM_CONF=$root/slurm.conf OUT=$root/out TIER=${TIER:-quick} SUBJECT=cpu ARGUMENTS=-j1
host=$(hostname -s)
daemons=()

install_packages() {
    command -v slurmctld slurmd munged >/dev/null && return
    ((EUID == 0)) || { echo "slurm-wlm and munge are missing, and this is not root" >&2; exit 3; }
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install -y --no-install-recommends slurm-wlm munge; } >"$root/apt.log" 2>&1 || { tail "$root/apt.log" >&2; exit 3; }
}

stop() {
    local status=$?
    ((${#daemons[@]} == 0)) || kill "${daemons[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    if ((status != 0)); then
        tail -n 15 "$root"/*.log "$OUT"/*.log 2>/dev/null || true
        echo "slurm: failed" >&2
    fi
    rm -rf "$root"
    exit $status
}

start() {
    mkdir -p "$root"/{state,spool} "$OUT"
    dd if=/dev/urandom bs=1 count=128 of="$root/munge.key" status=none
    chmod 600 "$root/munge.key"
    munged --foreground --force --key-file="$root/munge.key" --socket="$root/munge.sock" --pid-file="$root/munged.pid" \
        --seed-file="$root/munge.seed" --log-file="$root/munged.log" >>"$root/munged.log" 2>&1 &
    daemons+=($!)
    cat >"$SLURM_CONF" <<CONF
ClusterName=attest
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$((20000 + RANDOM % 10000))
SlurmdPort=$((30000 + RANDOM % 10000))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$root/munge.sock
StateSaveLocation=$root/state
SlurmdSpoolDir=$root/spool
SlurmctldPidFile=$root/slurmctld.pid
SlurmdPidFile=$root/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    until_true 10 test -S "$root/munge.sock"
    slurmctld -D >"$root/slurmctld.log" 2>&1 &
    daemons+=($!)
    slurmd -D >"$root/slurmd.log" 2>&1 &
    daemons+=($!)
    until_true 60 bash -c "sinfo -h -o %T 2>/dev/null | grep -q idle"
}

# until_true SECONDS COMMAND...
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || { echo "waited in vain for: $*" >&2; return 1; }
        sleep 0.2
    done
}

records() { [[ -f $1 ]] && wc -l <"$1" || echo 0; }
ended() { ! squeue -h -j "$1" 2>/dev/null | grep -q .; }

trap stop EXIT
install_packages
start
read -r array merge < <(ci/slurm/submit.sh 4)
journal=$OUT/part-2/results.jsonl

# task 2 is ended once it has something to lose, as a preemption would
until_true 60 bash -c "[[ -f $journal ]] && ((\$(wc -l <$journal) > 20))"
scontrol requeue "${array}_2"
until_true 30 bash -c "squeue -h -t PD -j ${array}_2 | grep -q ."
kept=$(records "$journal")
echo "task 2 killed with $kept lines in its journal"
# Slurm itself would wait two minutes: the killed job's credential is revoked for a few seconds
sleep 6
until_true 60 bash -c "scontrol update jobid=${array}_2 StartTime=now"
until_true 600 ended "$array"
until_true 120 ended "$merge"

last=$(tail -n 1 "$OUT/merge.log")
echo "$last"
grep -q "attempts stand in $journal already" "$OUT/part-2.log" || { echo "task 2 did not go on where it ended" >&2; exit 1; }
[[ $last == "VALIDATED on CPU execution"* ]]

rm -r "$OUT/part-3"
status=0
build/attest merge "$root/gap" "$OUT"/part-*/results.jsonl >"$root/gap.log" || status=$?
grep -q 'shard 3 of 4: no journal of it is here' "$root/gap.log"
[[ $status == 2 ]]
echo "slurm: an array of 4, one killed and requeued, merged: VALIDATED; without part 3: UNVALIDATED"
