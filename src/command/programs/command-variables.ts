// Variables by which programs start others. Their value is a command line, which runs when such a program wants it.

import { type Started, startScript, unknownStart, withMoreWords } from "../rules/start-rule.ts";
import { type CommandWord, knownWord, unknownWord } from "../words/command-word.ts";

const commandVariable =
  /^(?:GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND)|(?:.*_)?(?:PAGER|EDITOR|ASKPASS)|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|.*_RSH|SVN_SSH)$/;
const settingVariable = /^GIT_CONFIG_(?:PARAMETERS|VALUE_\d+)$/;

/** What `NAME=value` starts, before a command or behind env. */
export function startedByVariable(name: string, value: CommandWord): Started[] {
  if (settingVariable.test(name)) return [unknownStart];
  if (!commandVariable.test(name) || value.text === "") return [];
  if (value.text === null) return [unknownStart];
  // An editor or a pager that is only named is not used yet. Whether it waits for a person counts when it is.
  if (/^[\w./-]+(?: -[\w=-]+)*$/.test(value.text))
    return [{ kind: "command", words: [...value.text.split(" ").map(knownWord), unknownWord], isOnlyNamed: true }];
  return startScript(withMoreWords(knownWord(value.text.replace(/^\|+-?/, ""))));
}
