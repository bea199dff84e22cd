/**
 * `siteatlas completion bash|zsh|fish`: prints a completion script for a shell. It is generated from the tables of
 * commands and flags.
 */

import { nearestName } from "../../check/suggest-name.ts";
import { logLine } from "../../escape/log-line.ts";
import type { Command } from "../command.ts";
import { type CommandInfo, commandOfAction } from "../config/command-info.ts";
import { commands, HELP_NAMES } from "../config/command-table.ts";
import { type Flag, flagName, flags } from "../config/flags.ts";
import { formatsOf } from "../config/output-formats.ts";
import { openTextOutput } from "../output/buffered-output.ts";
import { EXIT } from "../process/exit-codes.ts";
import { UsageError } from "../process/usage-error.ts";

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const completion: Command = async ({ args: [shell = ""] }) => {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined) {
    const nearest = nearestName(shell, Object.keys(SHELLS));
    throw new UsageError(
      `no completion for the shell "${logLine(shell, { maxLength: 80 })}"`,
      nearest === undefined ? "Use bash, zsh or fish." : `Did you mean ${nearest}?`,
    );
  }
  const output = await openTextOutput({});
  await output.write(script());
  await output.end();
  return EXIT.done;
};

/** A flag with its names, such as `-o` and `--output`, and its possible values. */
interface Spelled {
  readonly names: readonly string[];
  readonly text: string;
  readonly words: readonly string[];
  readonly isList: boolean;
  readonly takesValue: boolean;
  readonly takesFile: boolean;
}

function spell({ name: command, settings, texts = {} }: CommandInfo): Spelled[] {
  const spelled = settings.flatMap((name): Spelled[] => {
    const { short, value, negated, isList = false, ...flag }: Flag = flags[name];
    const text = texts[name] ?? flag.text;
    const words = (name === "format" ? formatsOf(command)?.names : flag.words) ?? [];
    const long = flagName(name);
    const positive: Spelled = {
      names: [...(short === undefined ? [] : [`-${short}`]), `--${long}`],
      text,
      words,
      isList,
      takesValue: value !== undefined,
      takesFile: value === "FILE" || value === "DIR",
    };
    const negative: Spelled = { ...positive, names: [`--no-${long}`], words: [], takesValue: false };
    if (negated === "only") return [negative];
    return negated === "too" ? [positive, negative] : [positive];
  });
  const config = {
    names: ["--config"],
    text: "settings file",
    words: [],
    isList: false,
    takesValue: true,
    takesFile: true,
  };
  const help = { ...config, names: ["-h", "--help"], text: "help", takesValue: false, takesFile: false };
  return settings.length > 0 ? [...spelled, config, help] : [help];
}

/** The actions of a command as commands of their own: `snapshot show` has fewer flags than `snapshot export`. */
function actionsOf(command: CommandInfo): CommandInfo[] {
  return Object.keys(command.actions ?? {}).map((action) => commandOfAction(command, action));
}

const ACTIONS: readonly CommandInfo[] = commands.flatMap(actionsOf);
const ACTION_NAMES: string = ACTIONS.map(({ name }) => quote(name)).join("|");

/** Puts a text into single quotes. Works in all three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The words that completion offers for the first argument. */
function firstWords({ takes, actions = {} }: CommandInfo): string[] {
  return takes === "shell" ? Object.keys(SHELLS) : Object.keys(actions);
}

function takesFiles({ takes }: CommandInfo): boolean {
  return takes === "files" || takes === "both";
}

/** The command `help`, which is not in the table of commands. */
const HELP = { name: "help", summary: "show help on a command or topic" };

function bash(): string {
  const names = [...commands.map(({ name }) => name), "help"].join(" ");
  const cases = [...commands, ...ACTIONS].map((command) => {
    const spelled = spell(command);
    const all = spelled.flatMap((flag) => flag.names).join(" ");
    const values = spelled
      .filter(({ words }) => words.length > 0)
      .map(({ names: own, words, isList }) => {
        const variable = isList ? "list" : "words";
        return `        ${own.join("|")}) ${variable}="${words.join(" ")}" ;;`;
      });
    const files = spelled.filter((flag) => flag.takesFile).flatMap((flag) => flag.names);
    const fileCase = files.length > 0 ? [`        ${files.join("|")}) files=1 ;;`] : [];
    const whatElse = takesFiles(command) ? "        *) flags=$all; files=1 ;;" : "        *) flags=$all ;;";
    const first = firstWords(command);
    return [
      `    ${quote(command.name)})`,
      `      local all="${all}"`,
      '      case "$previous" in',
      ...(first.length > 0 ? [`        ${command.name}) words="${first.join(" ")}"; flags=$all ;;`] : []),
      ...values,
      ...fileCase,
      whatElse,
      "      esac",
      "      ;;",
    ].join("\n");
  });
  return `# Completion of siteatlas for bash.
_siteatlas() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" words="" list="" flags="" files="" prefix=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$current"))
    return
  fi
  # In "snapshot show FILE", the action decides which flags there are.
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$command \${COMP_WORDS[2]}" in ${ACTION_NAMES}) command="$command \${COMP_WORDS[2]}" ;; esac
  fi
  # bash splits --format=csv into three words, unless COMP_WORDBREAKS lacks the sign.
  if [ "$previous" = "=" ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"
  elif [ "$current" = "=" ]; then current=""
  else case "$current" in --*=*) previous="\${current%%=*}"; prefix="$previous="; current="\${current#*=}" ;; esac
  fi
  case "$command" in
${cases.join("\n")}
    help) words="${HELP_NAMES.join(" ")}" ;;
    *) return ;;
  esac
  if [ -n "$list" ]; then
    # After a comma, complete the next word of the list.
    case "$current" in *,*) prefix="$prefix\${current%,*},"; current="\${current##*,}" ;; esac
    COMPREPLY=($(compgen -P "$prefix" -W "$list" -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -P "$prefix" -W "$words $flags" -- "$current"))
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -P "$prefix" -f -- "$current")); fi
}
complete -o filenames -F _siteatlas siteatlas
`;
}

function zsh(): string {
  const plain = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");
  const described = [...commands, HELP].map(
    ({ name, summary }) => `    ${quote(`${name}:${plain(summary)}`)}`,
  );
  const cases = [...commands, ...ACTIONS].map((command) => {
    const specs = spell(command).map(({ names, text, words, isList, takesValue, takesFile }) => {
      const value = !takesValue
        ? ""
        : words.length > 0
          ? isList
            ? `:value:_values -s , value ${words.join(" ")}`
            : `:value:(${words.join(" ")})`
          : takesFile
            ? ":file:_files"
            : ":value: ";
      // `=` accepts `--format csv` and `--format=csv`.
      const own = names.map((name) => (takesValue && name.startsWith("--") ? `${name}=` : name));
      const one = own.length > 1 ? `{${own.join(",")}}` : own[0];
      return `        ${one}${quote(`[${plain(text)}]${value}`)}`;
    });
    // The name of an action is the first argument of its command.
    const parent = commands.find((one) => command.name.startsWith(`${one.name} `)) ?? command;
    const first = firstWords(parent);
    const rest = [
      ...(first.length > 0 ? [`1:argument:(${first.join(" ")})`] : []),
      ...(takesFiles(command) ? ["*:file:_files"] : command.takes === "urls" ? ["*:url: "] : []),
    ].map((spec) => `        ${quote(spec)}`);
    return `      ${quote(command.name)})\n        _arguments \\\n${[...specs, ...rest].join(" \\\n")}\n        ;;`;
  });
  return `#compdef siteatlas
# Completion of siteatlas for zsh.
_siteatlas() {
  local -a commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  if (( CURRENT > 3 )); then
    case "$command $words[3]" in
      ${ACTION_NAMES}) command="$command $words[3]" ;;
    esac
  fi
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
      help)
        _arguments '1:name:(${HELP_NAMES.join(" ")})'
        ;;
  esac
}
_siteatlas "$@"
`;
}

function fish(): string {
  const lines = [...commands, HELP].map(
    ({ name, summary }) =>
      `complete -c siteatlas -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
  );
  for (const command of [...commands, ...ACTIONS]) {
    const words = command.name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const first = firstWords(command);
    const isNew = first.length > 0 ? [`not __fish_seen_subcommand_from ${first.join(" ")}`] : [];
    const seen = `-n '${[...words, ...isNew].join("; and ")}'`;
    for (const { names, text, words, isList, takesValue, takesFile } of spell(command)) {
      const long = names.find((name) => name.startsWith("--"))!.slice(2);
      const short = names.find((name) => !name.startsWith("--"))?.slice(1);
      const value = !takesValue
        ? ""
        : words.length > 0
          ? ` -x -a ${quote(isList ? `(__fish_append , ${words.join(" ")})` : words.join(" "))}`
          : takesFile
            ? " -r"
            : " -x";
      lines.push(
        `complete -c siteatlas ${seen}${short === undefined ? "" : ` -s ${short}`} -l ${long}${value} -d ${quote(text)}`,
      );
    }
    if (first.length > 0) lines.push(`complete -c siteatlas ${seen} -f -a ${quote(first.join(" "))}`);
    if (!takesFiles(command)) lines.push(`complete -c siteatlas ${seen} -f`);
  }
  lines.push(
    `complete -c siteatlas -n '__fish_seen_subcommand_from help' -f -a ${quote(HELP_NAMES.join(" "))}`,
  );
  return `# Completion of siteatlas for fish.\n${lines.join("\n")}\n`;
}
