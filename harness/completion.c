/* Completion for bash and zsh: the tables say which words there are, their arguments' names what follows. */
#include "commands.h"
#include "manual.h"
#include "modes.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef enum { FREE, WORDS, IDS, FILES, SUBJECTS, MODES } kind;

/* By the name that the help gives an argument: alternatives in small letters are the words themselves. */
static kind kind_of(const char *argument) {
    static const struct {
        const char *holds;
        kind kind;
    } table[] = {{"MODE", MODES}, {"FILE.so", SUBJECTS}, {"ID", IDS},    {"DIR", FILES},   {"FILE", FILES},
                 {"PATH", FILES}, {"RUN", FILES},        {"A B", FILES}, {"BUNDLE", FILES}};
    if (strchr(argument, '|') != NULL && islower((unsigned char)argument[0])) return WORDS;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strstr(argument, table[i].holds) != NULL) return table[i].kind;
    }
    return FREE;
}

/* Alternatives with blanks for their bars. */
static void put_words(FILE *f, const char *alternatives) {
    for (; *alternatives != 0; alternatives++) putc(*alternatives == '|' ? ' ' : *alternatives, f);
}

static void put_modes(FILE *f) {
    size_t modes;
    const at_mode *m = at_modes(&modes);
    for (size_t i = 0; i < modes; i++) fprintf(f, "%s%s", i > 0 ? " " : "", m[i].name);
}

static const char *dashes(const at_option *o) {
    return strlen(o->name) > 1 ? "--" : "-";
}

/* ---- bash ---- */

static void put_bash_values(FILE *f, kind k, const char *argument) {
    switch (k) {
    case WORDS: fputs("_attest_words \"", f), put_words(f, argument), fputs("\" \"$cur\"", f); break;
    case MODES: fputs("_attest_words \"", f), put_modes(f), fputs("\" \"$cur\"", f); break;
    case IDS: fputs("_attest_ids \"$cur\"", f); break;
    case SUBJECTS: fputs("_attest_words \"cpu cuda\" \"$cur\"; _attest_files \"$cur\"", f); break;
    case FILES: fputs("_attest_files \"$cur\"", f); break;
    case FREE: putc(':', f); break;
    }
}

/* Readline breaks words at = and :, and wants what follows the last of them; ids have = in them. */
static const char bash_start[] =
    "# bash completion of attest, made by: attest help --completion bash\n"
    "_attest_words() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$1\" -- \"$2\"); }\n"
    "_attest_files() { compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "
    "\"$2$1\"); }\n"
    "_attest_ids() {\n"
    "    local id broken=${1%\"${1##*[=:]}\"}\n"
    "    while read -r id; do COMPREPLY+=(\"${id#\"$broken\"}\"); done < <(\"${COMP_WORDS[0]}\" list -k \"$1*\" "
    "2>/dev/null)\n"
    "}\n"
    "_attest() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur prev options=\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "    COMPREPLY=()\n"
    "    cur=${words[-1]} prev=${words[-2]}\n"
    "    if ((${#words[@]} == 2)); then\n        _attest_words \"";

static void put_bash_options(FILE *f, const at_command *c) {
    size_t options;
    const at_option *o = at_option_table(&options);
    fprintf(f, "        %s) options=\"", c->name);
    for (size_t i = 0; i < options; i++) {
        if (at_option_known_to(&o[i], c->name)) fprintf(f, " %s%s", dashes(&o[i]), o[i].name);
    }
    fputs("\" ;;\n", f);
}

void at_put_bash_completion(FILE *f) {
    size_t commands, options;
    const at_command *c = at_commands(&commands);
    const at_option *o = at_option_table(&options);
    fputs(bash_start, f);
    for (size_t i = 0; i < commands; i++) fprintf(f, "%s%s", i > 0 ? " " : "", c[i].name);
    fputs("\" \"$cur\"\n        return\n    fi\n    case $prev in\n", f);
    for (size_t i = 0; i < options; i++) {
        if (o[i].argument == NULL) continue;
        fprintf(f, "        %s%s) ", dashes(&o[i]), o[i].name);
        put_bash_values(f, kind_of(o[i].argument), o[i].argument);
        fputs("; return ;;\n", f);
    }
    fputs("    esac\n    case ${words[1]} in\n", f);
    for (size_t i = 0; i < commands; i++) put_bash_options(f, &c[i]);
    fputs("    esac\n    if [[ $cur == -* ]]; then\n        _attest_words \"$options\" \"$cur\"\n        return\n    "
          "fi\n",
          f);
    fputs("    case ${words[1]} in\n", f);
    for (size_t i = 0; i < commands; i++) {
        kind k = kind_of(c[i].arguments);
        if (k == FREE) continue;
        fprintf(f, "        %s) ", c[i].name);
        put_bash_values(f, k, c[i].arguments);
        fputs(" ;;\n", f);
    }
    fputs("        new) _attest_words \"case subject\" \"$cur\" ;;\n    esac\n}\ncomplete -F _attest attest\n", f);
}

/* ---- zsh ---- */

/* Within single quotes and the brackets or colons of a specification. */
static void put_zsh(FILE *f, const char *text) {
    for (; *text != 0; text++) {
        if (*text == '\'')
            fputs("'\\''", f);
        else if (strchr("[]:\\", *text) != NULL)
            fprintf(f, "\\%c", *text);
        else
            putc(*text, f);
    }
}

static void put_zsh_values(FILE *f, kind k, const char *argument) {
    switch (k) {
    case WORDS: putc('(', f), put_words(f, argument), putc(')', f); break;
    case MODES: putc('(', f), put_modes(f), putc(')', f); break;
    case IDS: fputs("_attest_ids", f); break;
    case SUBJECTS: fputs("_attest_subjects", f); break;
    case FILES: fputs("_files", f); break;
    case FREE: break;
    }
}

static void put_zsh_option(FILE *f, const at_option *o) {
    bool repeats = strstr(o->help, "repeated") != NULL;
    fprintf(f, " '%s%s%s%s[", repeats ? "*" : "", dashes(o), o->name,
            o->argument != NULL && strlen(o->name) > 1 ? "=" : "");
    put_zsh(f, o->help);
    putc(']', f);
    if (o->argument != NULL) {
        putc(':', f);
        put_zsh(f, o->argument);
        putc(':', f);
        put_zsh_values(f, kind_of(o->argument), o->argument);
    }
    putc('\'', f);
}

static void put_zsh_command(FILE *f, const at_command *c) {
    size_t options;
    const at_option *o = at_option_table(&options);
    fprintf(f, "        %s) _arguments", c->name);
    for (size_t i = 0; i < options; i++) {
        if (at_option_known_to(&o[i], c->name)) put_zsh_option(f, &o[i]);
    }
    kind k = kind_of(c->arguments);
    if (strcmp(c->name, "new") == 0) fputs(" '1:what:(case subject)'", f);
    if (k != FREE) {
        fputs(" '*:", f);
        put_zsh(f, c->arguments);
        putc(':', f);
        put_zsh_values(f, k, c->arguments);
        putc('\'', f);
    }
    fputs(" ;;\n", f);
}

void at_put_zsh_completion(FILE *f) {
    size_t commands;
    const at_command *c = at_commands(&commands);
    fputs("#compdef attest\n# zsh completion of attest, made by: attest help --completion zsh\n"
          "_attest_ids() { local -a ids=(${(f)\"$(_call_program ids attest list -k '*' 2>/dev/null)\"}); compadd -a "
          "ids }\n"
          "_attest_subjects() { _alternative 'names:name:(cpu cuda)' 'files:file:_files' }\n"
          "_attest() {\n    local -a commands=(\n",
          f);
    for (size_t i = 0; i < commands; i++) {
        fprintf(f, "        '%s:", c[i].name);
        put_zsh(f, c[i].about);
        fputs("'\n", f);
    }
    fputs("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n",
          f);
    for (size_t i = 0; i < commands; i++) put_zsh_command(f, &c[i]);
    fputs("    esac\n}\n_attest \"$@\"\n", f);
}
