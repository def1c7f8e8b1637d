import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { scriptsIn } from '../../../tools/script.ts'
import { type Placeholder, placeholdersIn } from '../../../tools/template.ts'
import { type ExecStart, startOf } from '../exec-starts.ts'
import { withQuotes } from '../foreign-inputs.ts'
import type { Rule } from '../rule.ts'

export const toolsCodeInjection: Rule = {
  id: 'tools/code-injection',
  severity: 'error',
  scope: 'source',
  summary: 'a value of the call becomes part of code that is run',
  why: 'The value comes from a model, and through it from any page or mail that the model has read: $(…) in it is run like the rest of the line. Awk and sed can run programs too, jq can print the secrets in its environment, and a database executes whatever the value adds to the query.',
  fix: 'Pass the value as a separate argument or variable, and use that in the code.',
  looks: 'exec',
  check({ at, inputs, tool: { transport } }, report) {
    const start = startOf(transport)
    // Only a command that is a whole line may have placeholders of its own.
    if (inputs.length === 0 && start.transport === transport) return
    for (const { program, code, index, fix } of codeIn(start)) {
      const input = placeholdersIn(code).find(({ kind }) => kind === 'input')
      if (input === undefined) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'transport', ...start.placeOf(index)] },
        message: `${quoteText(input.text)} is in code that ${program} runs`,
        fix: fix(input, code),
      })
    }
  },
}

interface Code {
  readonly program: string
  readonly code: string
  readonly index: number
  fix(input: Placeholder, code: string): string
}

const SCRIPT =
  'Put the code into a script on the host that takes the value as an argument, and use its path as command'

function codeIn({ transport, inline }: ExecStart): Code[] {
  if (inline === undefined)
    return scriptsIn(transport).map(({ program, text, index, option }) => ({
      program,
      code: text,
      index,
      fix:
        FIXES.get(program)?.(option === undefined ? 'the code' : quoteText(option)) ??
        (() =>
          'Put the query into a script on the host that binds the value as a parameter, and use its path as command'),
    }))
  const behind = transport.args.length - inline.index - 1
  const isPositional =
    inline.isShell && inline.program !== 'env' && !/^(?:pwsh|powershell)/.test(inline.program)
  // Behind the code of a filter are the files that it reads.
  const isFilter =
    /^(?:perl|ruby)$/.test(inline.program) && transport.args.some(arg => /^-[a-z]*[np]/.test(arg))
  return [
    {
      ...inline,
      fix: isPositional
        ? (input, code) => shellFix(input, code, behind)
        : () =>
            inline.isShell || isFilter ? SCRIPT : 'Pass the value as a separate argument after the code',
    },
  ]
}

/** @param behind how many arguments follow the code; the first of them is `$0`, not `$1` */
function shellFix(input: Placeholder, code: string, behind: number): string {
  const words =
    behind === 0 ? `arguments "--" and ${quoteText(input.text)}` : `argument ${quoteText(input.text)}`
  const place = `the ${words} ${behind === 0 ? 'after the code' : 'at the end'}`
  return `Replace ${withQuotes(input.text, code)} with "$${Math.max(1, behind)}", and add ${place}`
}

/** @param place what the new arguments come before */
const FIXES: ReadonlyMap<string, (place: string) => Code['fix']> = new Map<
  string,
  (place: string) => Code['fix']
>([
  ...['jq', 'gojq', 'jaq'].map(name => [name, jqFix] as const),
  ...['awk', 'gawk', 'mawk', 'nawk'].map(name => [name, awkFix] as const),
  [
    'yq',
    () => () => 'Set "stdin" in "x-rlp" to true, and read the value from the document that the program gets',
  ],
  [
    'sed',
    () => () => 'Use a program that takes the value as an argument of its own, such as grep with -F and --',
  ],
])

function jqFix(place: string): Code['fix'] {
  return (input, code) =>
    `Replace ${withQuotes(input.text, code)} with $${nameOf(input)}, and add the arguments "--arg", "${nameOf(input)}" and ${quoteText(input.text)} before ${place}`
}

function awkFix(place: string): Code['fix'] {
  return (input, code) => {
    const name = nameOf(input)
    const at = code.indexOf(input.text)
    const [before, behind] = [code[at - 1], code[at + input.text.length]]
    const isPattern = before === '/' && behind === '/'
    // A name between slashes is text.
    if (!isPattern && code.slice(0, at).split('/').length % 2 === 0)
      return `Pass the value with -v, and compare with "~ ${name}" instead of a pattern between slashes`
    const [old, now] = isPattern ? [`/${input.text}/`, `$0~${name}`] : [withQuotes(input.text, code), name]
    return `Replace ${old} with ${now}, and add the arguments "-v" and "${name}=${input.text}" before ${place}`
  }
}

/** A name for the value in code. */
function nameOf(input: Placeholder): string {
  const last = input.kind === 'input' ? input.path.findLast(step => /^[A-Za-z_]/.test(step)) : undefined
  return (last ?? 'value').replaceAll(/[^A-Za-z0-9_]/g, '_')
}
