/** `siteatlas completion bash|zsh|fish`: scripts made of the tables of commands and flags. */
import { type CommandInfo, commands } from "../commands.ts";
import { EXIT } from "../exit-codes.ts";
import { type Flag, flagName, flags, type SettingName } from "../flags.ts";
import { nearestName } from "../nearest.ts";
import { openTextOutput } from "../output/text-output.ts";
import type { Command } from "../run.ts";
import { UsageError } from "../usage-error.ts";

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const completion: Command = async ({ args: [shell = ""] }) => {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined) {
    const nearest = nearestName(shell, Object.keys(SHELLS));
    throw new UsageError(
      `There is no completion for "${shell}"`,
      nearest === undefined ? "There is one for bash, zsh and fish" : `Did you mean ${nearest}?`,
    );
  }
  const output = await openTextOutput({});
  await output.write(script());
  await output.end();
  return EXIT.done;
};

/** All spellings of a flag, and what can stand behind it. */
interface Spelled {
  readonly names: readonly string[];
  readonly text: string;
  readonly words: readonly string[];
  readonly takesValue: boolean;
  readonly takesFile: boolean;
}

const FILES: ReadonlySet<SettingName> = new Set(["output", "logFile", "snapshot", "snapshots"]);

function spell({ settings }: CommandInfo): Spelled[] {
  const spelled = settings.flatMap((name): Spelled[] => {
    const { short, value, negated, text, words = [] }: Flag = flags[name];
    const long = flagName(name);
    const positive: Spelled = {
      names: [...(short === undefined ? [] : [`-${short}`]), `--${long}`],
      text,
      words,
      takesValue: value !== undefined,
      takesFile: FILES.has(name),
    };
    const negative: Spelled = { ...positive, names: [`--no-${long}`], words: [], takesValue: false };
    if (negated === "only") return [negative];
    return negated === "too" ? [positive, negative] : [positive];
  });
  const config = {
    names: ["--config"],
    text: "settings file",
    words: [],
    takesValue: true,
    takesFile: true,
  };
  const help = { names: ["-h", "--help"], text: "help", words: [], takesValue: false, takesFile: false };
  return settings.length > 0 ? [...spelled, config, help] : [help];
}

/** In single quotes of any shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function argumentsOf({ takes }: CommandInfo): string {
  return takes === "shell" ? "bash zsh fish" : "";
}

function bash(): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands.map((command) => {
    const spelled = spell(command);
    const all = spelled.flatMap((flag) => flag.names).join(" ");
    const values = spelled
      .filter(({ words }) => words.length > 0)
      .map((flag) => `        ${flag.names.join("|")}) words="${flag.words.join(" ")}" ;;`);
    const files = spelled.filter((flag) => flag.takesFile).flatMap((flag) => flag.names);
    const fileCase = files.length > 0 ? [`        ${files.join("|")}) files=1 ;;`] : [];
    const whatElse =
      command.takes === "files" ? "        *) flags=$all; files=1 ;;" : "        *) flags=$all ;;";
    return [
      `    ${command.name})`,
      `      local all="${all} ${argumentsOf(command)}"`,
      '      case "$previous" in',
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
  local command="\${COMP_WORDS[1]}" words="" flags="" files=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$current"))
    return
  fi
  case "$command" in
${cases.join("\n")}
    *) return ;;
  esac
  COMPREPLY=($(compgen -W "$words $flags" -- "$current"))
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _siteatlas siteatlas
`;
}

function zsh(): string {
  const plain = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");
  const described = commands.map(({ name, summary }) => `    ${quote(`${name}:${plain(summary)}`)}`);
  const cases = commands.map((command) => {
    const specs = spell(command).map(({ names, text, words, takesValue, takesFile }) => {
      const value = !takesValue
        ? ""
        : words.length > 0
          ? `:value:(${words.join(" ")})`
          : takesFile
            ? ":file:_files"
            : ":value: ";
      const one = names.length > 1 ? `{${names.join(",")}}` : names[0];
      return `        ${one}${quote(`[${plain(text)}]${value}`)}`;
    });
    const rest =
      command.takes === "files"
        ? "*:file:_files"
        : command.takes === "shell"
          ? "1:shell:(bash zsh fish)"
          : "*:url: ";
    return `      ${command.name})\n        _arguments \\\n${[...specs, `        ${quote(rest)}`].join(" \\\n")}\n        ;;`;
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
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
_siteatlas "$@"
`;
}

function fish(): string {
  const lines = commands.map(
    ({ name, summary }) =>
      `complete -c siteatlas -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
  );
  for (const command of commands) {
    const seen = `-n '__fish_seen_subcommand_from ${command.name}'`;
    for (const { names, text, words, takesValue, takesFile } of spell(command)) {
      const long = names.find((name) => name.startsWith("--"))!.slice(2);
      const short = names.find((name) => !name.startsWith("--"))?.slice(1);
      const value = !takesValue
        ? ""
        : words.length > 0
          ? ` -x -a ${quote(words.join(" "))}`
          : takesFile
            ? " -r"
            : " -x";
      lines.push(
        `complete -c siteatlas ${seen}${short === undefined ? "" : ` -s ${short}`} -l ${long}${value} -d ${quote(text)}`,
      );
    }
    if (command.takes === "shell") lines.push(`complete -c siteatlas ${seen} -f -a 'bash zsh fish'`);
    else if (command.takes === "urls") lines.push(`complete -c siteatlas ${seen} -f`);
  }
  return `# Completion of siteatlas for fish.\n${lines.join("\n")}\n`;
}
