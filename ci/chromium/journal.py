"""Journals made by hand, as a run would leave them, without a subject that goes wrong on cue."""

import hashlib
import json

SUITES = ["batch", "decode", "geometry", "prefill", "refusals", "rope", "scale", "softcap", "window", "write-path"]
HOSTILE = "<script>alert(1)</script>|&\"'`"
AXES = {
    "dtype": ["float16", "bfloat16"],
    "dialect": ["onnx-genai", "onnxruntime"],
    "geometry": ["tiny", "glm-slice", "ort-mla"],
    "mode": ["eager", "replay"],
}


def digest(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def figure(i, salt):
    """In 0..1, with as many digits as a measured one."""
    return int(digest(i, salt)[:13], 16) / 16**13


def tensor(name, i, excess, wrong=None):
    measured = {
        "tensor": name,
        "elements": 64 + i % 1000,
        "mismatches": 0,
        "excess": excess,
        "ratio": 0.5 + figure(i, name) / 3,
        "ratio_median": figure(i, name + "m") / 3,
        "absolute": figure(i, name + "a") / 1e3,
        "relative": figure(i, name + "r"),
        "ulps": 1,
        "absolute_median": figure(i, name + "b") / 1e4,
        "ulps_median": 0,
        "fixed": figure(i, name + "f"),
        "token": i % 64,
        "head": i % 16 if name == "output" else -1,
        "channel": i % 576,
        "want": figure(i, name + "w"),
        "got": 0.5,
        "low": 0.5,
        "high": 0.5,
    }
    return {**measured, **(wrong or {})}


def expansion(i, dtype):
    """What case i comes to; one in two has shapes of its own, as in a real run."""
    past, rows = 16 + i // 2, [1 + i % 4, 3]
    pages = -(-past // 16)
    cache = f"{dtype} [{3 * pages + 1}, 16, 1, 192]"
    return {
        "place": f"cases/{SUITES[i % len(SUITES)]}.yaml:{8 + i % 7}",
        "attributes": ["num_heads 2", "kv_num_heads 1", 'kv_cache_layout "LATENT"', "v_head_size 128",
                       "scale 0.0721687824", "do_rotary 1", "rotary_offset 128", f"local_window_size {i // 20}"],
        "shapes": [f"query {dtype} [{sum(rows)}, 384]", f"key {dtype} [{sum(rows)}, 192]", f"key_cache {cache}",
                   "cumulative_sequence_length int32 [3]", "past_seqlens int32 [2]", f"block_table int32 [2, {pages}]",
                   f"cos_cache {dtype} [{past + 3}, 32]", f"sin_cache {dtype} [{past + 3}, 32]",
                   f"slot_mapping int32 [{sum(rows)}]", f"output {dtype} [{sum(rows)}, 256]", f"key_cache_out {cache}"],
        "sequences": [f"past {past}, new {n}" for n in rows],
    }


def attempt(number, **more):
    """An attempt of a run in which all is well: every case eagerly, then replayed."""
    i, suite = number // 2, SUITES[number // 2 % len(SUITES)]
    values = {name: of[i // len(SUITES) // 3**place % len(of)] for place, (name, of) in enumerate(AXES.items())}
    values["mode"] = AXES["mode"][number % 2]
    given = f"dtype={values['dtype']},dialect={values['dialect']},local_window_size={i // 20},data=uniform_codes"
    case = f"{suite}/case-{i % 7}/{given}"
    excess = 0 if i % 3 else 10 ** (-6 * figure(i, "excess") - 0.2)
    return {
        "id": case,
        "hash": digest(case)[:16],
        "suite": suite,
        "name": f"case-{i % 7}",
        "why": f"A window that is one key too wide passes every random test, number {i % 7}.",
        "tags": ["S1"],
        "covers": ["read.window", "S1"],
        "subject": "v1",
        "mode": values["mode"],
        "dialect": values["dialect"],
        "dtype": values["dtype"],
        "geometry": values["geometry"],
        "tier": "quick",
        "design": "uniform_codes",
        "expect": "budget",
        "axes": [f"{name}={value}" for name, value in values.items()] + [f"context={64 << i % 9}", f"batch={i % 4}"],
        "verdict": "PASS",
        "tensor": [tensor("key_cache_out", i, 0), tensor("output", i, excess)],
        "finding": [],
        "findings_all": 0,
        **expansion(i, values["dtype"]),
        "replays": 3 if values["mode"] == "replay" else 0,
        "replays_equal": 3 if values["mode"] == "replay" else 0,
        "graph_kernels": 2,
        "graph_other": 0,
        "inputs_digest": digest(case, "in"),
        "output_digest": digest(number, "out"),
        "arithmetic": "q exact f32, dot f32",
        "seconds_oracle": figure(number, "o") / 1e3,
        "seconds_subject": figure(number, "s") / 1e3,
        "seconds": 0.001 + figure(number, "all") / 1e2,
        "worker": i % 2,
        "device": "cpu 0",
        "repro": f"build/attest repro '{case}' --mode {values['mode']} --subject cpu --seed 1",
        **more,
    }


def failure(i):
    """The window is one key too wide: got 0.25 where 0.5 is due."""
    text = (
        "output: token 3 (sequence 1, position 17, page 1, slot 33), head 2, channel 5: want 0.5, got 0.25 (0x3400), "
        "allowed 0.499755859 to 0.500244141"
    )
    wrong = {
        "mismatches": 12,
        "excess": 1000 * (i + 1),
        "ratio": 900,
        "want": 0.5,
        "got": 0.25,
        "low": 0.499755859,
        "high": 0.500244141,
    }
    return attempt(
        i,
        verdict="FAIL",
        mode="eager",
        dtype="float16",
        suite="window",
        name="edge",
        id=f"window/edge/local_window_size={i}",
        tensor=[tensor("key_cache_out", i, 0), tensor("output", i, 0, wrong)],
        finding=[{"detector": "value", "text": text}],
        findings_all=12,
        explanation=["window-wider: the window keeps one key more", "cache-ignored: keys of the call alone are seen"],
        message=f"value: {text}",
        repro=f"build/attest repro 'window/edge/local_window_size={i}' --mode eager --subject cpu --seed 1",
    )


def hostile(i):
    names = {
        key: HOSTILE
        for key in (
            "suite",
            "name",
            "why",
            "mode",
            "dialect",
            "dtype",
            "geometry",
            "rule",
            "gate",
            "message",
            "repro",
        )
    }
    return attempt(
        i,
        **names,
        id=f"{HOSTILE}{i}",
        verdict="CRASH",
        axes=[HOSTILE, f"a={HOSTILE}"],
        tags=[HOSTILE],
        covers=[HOSTILE],
        place=HOSTILE,
        **dict.fromkeys(("explanation", "attributes", "shapes", "sequences"), [HOSTILE]),
        tensor=[{**tensor("output", i, 0.5), "tensor": HOSTILE}],
        finding=[{"detector": HOSTILE, "text": HOSTILE}],
        findings_all=1,
    )


def write(path, records, complete=True, **header):
    """Returns the path. Attempts that all pass make a VALIDATED run."""
    cases = len({r["id"] for r in records})
    head = {
        "attest_version": "0.1.0",
        "revision": "0123456789ab",
        "command": "attest run --subject cpu --tier quick",
        "seed": "1",
        "started": "2026-01-01T00:00:00Z",
        "subject": "v1",
        "subject_file": "cpu",
        "device_kind": "cpu",
        "device": "CPU execution",
        "arch": "x86_64",
        "driver": "none",
        "host": "host",
        "compiler": "12.2.0",
        "tier": "quick",
        "planned": len(records),
        "planned_cases": cases,
        "gpus": 0,
        "require_gpu": False,
        "suites": SUITES,
        "floors": [],
        "universe": [
            "axis:dtype=float32",
            "rule:kv-heads@supports",
            *(f"axis:{n}={v}" for n, of in AXES.items() for v in of),
        ],
        **header,
    }
    counts = {}
    for record in records:
        counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
    with open(path, "w") as file:
        file.write(json.dumps({"journal": 1, "header": head}) + "\n")
        file.writelines(json.dumps(record) + "\n" for record in records)
        if complete:
            file.write(json.dumps({"end": len(records), **counts}) + "\n")
    return path


def mutants(path, case="window/edge/local_window_size=4"):
    kill = {
        "case": case,
        "mode": "eager",
        "verdict": "FAIL",
        "detectors": ["value"],
        "message": "value: output",
        "findings": ["output"],
    }
    rows = [
        {
            "id": name,
            "table": "mask",
            "made": "hand-made",
            "files": ["cuda/v1.cu"],
            "hypothesis": None,
            "why": "One key more.",
            "outcome": outcome,
            "error": "",
            "reason": reason,
            "naming": naming,
            "readings": readings,
            "kills": kills,
        }
        for name, outcome, reason, naming, readings, kills in (
            ("window-wider", "killed", "", "alone", ["window-wider"], [kill, kill]),
            ("softcap-once", "survived", "It is no promise.", "", [], []),
        )
    ]
    with open(path, "w") as file:
        json.dump(
            {
                "tier": "quick",
                "seconds": 2.0,
                "scores": {"hand-made": {"killed": 1, "of": 2, "floor": 0.95, "met": False}},
                "mutants": rows,
            },
            file,
            indent=1,
        )


def bench(path, case="window/edge/local_window_size=4"):
    """As `attest bench --json` writes it."""
    rows = [
        {"id": case, "hash": "0123456789abcdef", "verdict": "PASS", "median": 1.25e-5, "least": 1.2e-5, "most": 1.35e-5,
         "pages": 2, "bytes": 18456},
        {"id": "timing/not-here", "hash": "0123456789abcdef", "verdict": "UNSUPPORTED"},
    ]
    names = {"subject": "v1", "version": "1", "device": "NVIDIA H200", "arch": "sm_90", "seed": "1"}
    with open(path, "w") as file:
        json.dump({**names, "runs": 9, "warm_up": 3, "cases": rows}, file)
