// Does what the fix of a finding says, as a person would: puts the text that it gives where it says. A fix that leaves the words to the author
// is in BY_HAND; a text in neither list makes the test fail, because no test has tried it.
import { read } from '../../src/agent/read-agent.ts'
import { fix as fixAll } from '../../src/lint/fix.ts'
import { askable } from '../../src/lint/lint-run.ts'
import { rulesOfRun } from '../../src/lint/rules/index.ts'
import type { Rule } from '../../src/lint/rules/rule.ts'
import { Walk } from '../../src/lint/run-rules.ts'
import { STAGES } from '../../src/lint/stages.ts'
import type { Prepared } from '../../src/lint/subjects.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Document, Pointer } from '../../src/model/document.ts'
import type { Problem } from '../../src/model/finding.ts'
import { digestManifest } from '../../src/pack/digest.ts'
import { escapePattern } from '../../src/text/mask.ts'
import { parseToml } from '../../src/toml/parse.ts'
import type { Tree } from './agent.ts'
import { memoryFiles } from './memory.ts'

/** What a rule reports, with its place as a pointer. */
export interface FoundProblem {
  readonly rule: Rule
  readonly problem: Problem
}

export function agentOfTree(tree: Tree, label: string): Agent {
  return read(memoryFiles(tree), label)
}

/** Everything that lint reports, before several are joined to one. @param rule an opt-in rule that is asked too */
export function problemsIn(agent: Agent, prepared: Prepared, rule: string): FoundProblem[] {
  const found: FoundProblem[] = []
  const asked = askable(agent, rulesOfRun([{ rule }]))
  const walk = new Walk(asked.agent, asked.rules, prepared, STAGES, (rule, problem) =>
    found.push({ rule, problem }),
  )
  while (walk.next());
  return found
}

/** The tree with right digests, where the manifest can have them. */
export function withDigests(tree: Tree, label: string): Tree {
  try {
    return { ...tree, 'manifest.toml': digestManifest(agentOfTree(tree, label)).text }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return tree
    throw error
  }
}

interface Following {
  readonly tree: Tree
  readonly label: string
  readonly agent: Agent
  readonly problem: Problem
  /** Undefined for a file that cannot be read. */
  readonly document: Document | undefined
  readonly pointer: Pointer
}

type Follow = (following: Following, ...groups: string[]) => Tree | undefined

/**
 * The tree after the fix was done; undefined for a fix that leaves the words to the author.
 * @throws Error for a text in neither list
 */
export function followed(tree: Tree, label: string, { rule, problem }: FoundProblem): Tree | undefined {
  const { fix, file, place } = problem
  const agent = agentOfTree(tree, label)
  const pointer = place !== undefined && 'pointer' in place ? place.pointer : []
  const document = agent.documents.get(file)
  // One of the two is for the author to choose.
  if (fix === 'Write true or false') return undefined
  for (const [text, follow] of FORMS) {
    const groups = text.exec(fix)
    if (groups === null) continue
    const after = follow({ tree, label, agent, problem, document, pointer }, ...groups.slice(1))
    if (after !== undefined) return withDigests(after, label)
  }
  if (BY_HAND.some(text => text.test(fix))) return undefined
  throw new Error(
    `${rule.id}: follow the fix in test/support/follow-fix.ts, or list it there as one by hand: ${fix}`,
  )
}

/** A value in JSON, as fixes write it. */
const JSON_TEXT = /^("(?:[^"\\]|\\.)*"|-?[0-9][0-9.e+-]*|true|false|null|\[.*\]|\{.*\})/s.source

const FORMS: readonly (readonly [RegExp, Follow])[] = [
  [/^Write time = true here if/, on => written(on, 'true')],
  [
    /^Add ("(?:[^"\\]|\\.)*") to secrets, and to secrets in policy\.caps/,
    (on, entry = '') => {
      const after = listed(on, JSON.parse(entry) as string, 'secrets')
      const policy = on.agent.policy?.secrets ?? []
      const line = `secrets = ${JSON.stringify([...policy, JSON.parse(entry)])}`
      if (after === undefined) return undefined
      const text = String(after['policy.caps'])
      if (policy.length === 0) return belowCapabilities({ ...on, tree: after }, line)
      return { ...after, 'policy.caps': text.replace(/^secrets = .*$/m, () => line) }
    },
  ],
  [
    /^Remove it from the url/,
    on => replaced(on, value => value.replace(/[?&][^?&=]*=\{\{secret:[^}]*\}\}/, '')),
  ],
  [
    /^Leave the variable out, and ("(?:[^"\\]|\\.)*") out of secrets in policy\.caps$/,
    (on, entry = '') => {
      const after = removed(on)
      const left = (on.agent.policy?.secrets ?? []).filter(id => id !== JSON.parse(entry))
      const text = String(after?.['policy.caps'])
      return (
        after && {
          ...after,
          'policy.caps': text.replace(/^secrets = .*$/m, () => `secrets = ${JSON.stringify(left)}`),
        }
      )
    },
  ],
  [
    /^Write https:\/\/, and remove allow_http in policy\.caps/,
    on => {
      const after = replaced(on, value => value.replace('http://', 'https://'))
      const text = String(after?.['policy.caps'])
      return after && { ...after, 'policy.caps': text.replace(/,? *allow_http = true/, '') }
    },
  ],
  [
    /^Write "minItems": (\d+) for the list$/,
    (on, least = '') =>
      inInput(
        on,
        ({ path }) =>
          path.slice(
            0,
            path.findLastIndex(step => /^[0-9]+$/.test(step)),
          ),
        list => ({
          ...list,
          minItems: Number(least),
        }),
      ),
  ],
  [
    /^Remove "null" from its type$/,
    on =>
      inInput(
        on,
        ({ path }) => path,
        value => ({
          ...value,
          type: [value['type']].flat().filter(type => type !== 'null'),
        }),
      ),
  ],
  [
    /^Write in policy\.caps line (\d+): (.+)$/s,
    (on, line = '', text = '') => withLine(on, 'policy.caps', Number(line), text),
  ],
  [/^Add below \[capabilities\] in policy\.caps: (.+)$/s, (on, text = '') => belowCapabilities(on, text)],
  [/^Write (time = true) under \[capabilities\]/, (on, text = '') => belowCapabilities(on, text)],
  [
    /^Write https:\/\/ in the url(?:.*?, and (?:add below \[capabilities\] in policy\.caps: (.+?)|write in policy\.caps line (\d+): (.+?)))?(?:;.*)?$/s,
    (on, added, line, text) => {
      const after = replaced(on, value => value.replace('http://', 'https://'))
      if (after === undefined) return undefined
      if (added !== undefined) return belowCapabilities({ ...on, tree: after }, added)
      return line === undefined
        ? after
        : withLine({ ...on, tree: after }, 'policy.caps', Number(line), text ?? '')
    },
  ],
  [/^Write https:\/\/, or reach/, on => replaced(on, value => value.replace('http://', 'https://'))],
  [
    /^Replace ("(?:[^"\\]|\\.)*") with ("(?:[^"\\]|\\.)*") in policy\.caps/,
    (on, from = '', to = '') => inText(on, 'policy.caps', JSON.stringify(JSON.parse(from)), to),
  ],
  [
    /^If this is a slip, replace ("(?:[^"\\]|\\.)*") with ("(?:[^"\\]|\\.)*") in the tool/,
    (on, from = '', to = '') => {
      const [before, after] = [JSON.parse(from) as string, JSON.parse(to) as string]
      return inTool(on, before, after)
    },
  ],
  [
    /^Replace ("(?:[^"\\]|\\.)*") with ("(?:[^"\\]|\\.)*") in secrets/,
    (on, from = '', to = '') => inTool(on, from, to),
  ],
  [
    /^If this is a slip, replace ("(?:[^"\\]|\\.)*") with ("(?:[^"\\]|\\.)*")\./,
    (on, from = '', to = '') =>
      replaced(on, value => value.replace(JSON.parse(from) as string, JSON.parse(to) as string)),
  ],
  [
    /^Replace (.+?)(?: \(with its quotes\))? with (\S+), and add the arguments? (.+) (?:(before) (?:the code|("-[^"]*"))|after the code|at the (end))$/s,
    (on, from = '', to = '', list = '', before, option, end) =>
      inCode(on, to, from, option ? 'option' : before ? 'before' : end ? 'end' : 'after', list),
  ],
  [
    /^Replace it with %s, and add the argument (".*") after the format$/s,
    (on, argument = '') => {
      const text = quotedIn(on.problem.message)
      const list = on.pointer.slice(0, -1)
      return changed(on, list, value => {
        const args = [...(value as string[])]
        const at = Number(on.pointer.at(-1))
        args[at] = (args[at] ?? '').replaceAll(text, '%s')
        args.splice(at + 1, 0, JSON.parse(argument) as string)
        return args
      })
    },
  ],
  [/^Rename the table to (\[[a-z.]+\])$/, (on, header = '') => headerOf(on, header)],
  [
    /^Rename (\[[a-z.]+\]) to (\[[a-z.]+\])$/,
    (on, from = '', to = '') => inText(on, on.problem.file, from, to),
  ],
  [
    /^Write (\[[a-z.]+\]) on the line above (\S+)$/,
    (on, header = '', key = '') => inText(on, on.problem.file, `\n${key} `, `\n${header}\n${key} `),
  ],
  [
    /^Rename the key "([^"]+)" to (\w+)$/,
    (on, from = '', to = '') => inText(on, on.problem.file, `${from} =`, `${to} =`),
  ],
  [
    /^Rename (\w+) to (\w+)$/,
    (on, from = '', to = '') =>
      on.pointer.length > 0
        ? renamed({ ...on, pointer: [...on.pointer, from] }, to)
        : inText(on, on.problem.file, `${from} =`, `${to} =`),
  ],
  [
    /^Rename (\w+\.\w+) to (\w+\.\w+)$/,
    ({ tree }, from = '', to = '') => {
      const { [from]: text = '', ...others } = tree
      return { ...others, [to]: text }
    },
  ],
  [
    /^(?:Add|Write) "kind": "(\w+)"/,
    (on, kind = '') => changed(on, on.pointer.slice(0, 3), value => ({ ...(value as object), kind })),
  ],
  [
    /^Write two arguments: (".*")$/,
    (on, list = '') =>
      changed(on, on.pointer.slice(0, -1), value =>
        (value as string[]).toSpliced(Number(on.pointer.at(-1)), 1, ...(JSON.parse(`[${list}]`) as string[])),
      ),
  ],
  [
    /^Rename "([^"]+)" to "([^"]+)"$/,
    (on, from = '', to = '') => renamed({ ...on, pointer: [...on.pointer, from] }, to),
  ],
  [/^Rename it to "([^"]+)"/, (on, to = '') => renamed(on, to)],
  [
    /^Replace it with "([A-Za-z_$]+)": (.+?)(?: if you mean seconds)?$/,
    (on, key = '', text = '') => renamed(on, key, JSON.parse(text)),
  ],
  [
    /^Replace it with ("(?:[^"\\]|\\.)*")/,
    (on, to = '') => {
      const key = JSON.parse(to) as string
      if (isKey(on)) return renamed(on, key)
      return replaced(on, value => value.replace(quotedIn(on.problem.message), key))
    },
  ],
  [
    /^Write "command": ("(?:[^"\\]|\\.)*") and "args": (\[.*\])$/s,
    (on, command = '', args = '') =>
      changed(on, on.pointer.slice(0, -1), value => ({
        ...(value as object),
        command: JSON.parse(command),
        args: JSON.parse(args),
      })),
  ],
  [
    /^Write "additionalProperties": false (?:there|into each object)$/,
    on => withMember(on, 'additionalProperties', false),
  ],
  [/^Write "items" with the schema/, on => withMember(on, 'items', {})],
  [/^Add "type": "object" to it$/, on => withMember(on, 'type', 'object')],
  [
    /^Add "enum": (\[.*\])$/s,
    (on, list = '') => withMember({ ...on, pointer: on.pointer.slice(0, -1) }, 'enum', JSON.parse(list)),
  ],
  [
    /^Add "requires_confirmation": true, or false/,
    on => withMember({ ...on, pointer: on.pointer.slice(0, 2) }, 'requires_confirmation', true),
  ],
  [
    /^Add ("(?:[^"\\]|\\.)*") to (required|secrets|capabilities)$/,
    (on, entry = '', list = '') => listed(on, JSON.parse(entry) as string, list),
  ],
  [
    /^Add it, for example ("?[\w$-]+"?)(?:: | = )(.+)$/s,
    (on, key = '', text = '') => exampleAdded(on, key.replaceAll('"', ''), text),
  ],
  [
    /^Move it into "([\w-]+)"(?: of the tool)?: "[\w-]+": (\{.*\})$/s,
    (on, place = '', text = '') => {
      if (text.includes('…')) return undefined
      return changed(on, on.pointer.slice(0, 2), value => {
        const tool = withoutMember(value as Members, on.pointer.slice(2))
        return { ...tool, [place]: { ...(tool[place] as object), ...(JSON.parse(text) as object) } }
      })
    },
  ],
  [
    /^Remove it, and write into "x-rlp" of the tool: "env": (\[.*?\])/,
    (on, names = '') =>
      changed(on, on.pointer.slice(0, 2), value => {
        const tool = withoutMember(value as Members, on.pointer.slice(2))
        return { ...tool, 'x-rlp': { ...(tool['x-rlp'] as object), env: JSON.parse(names) } }
      }),
  ],
  [
    /^Remove it, and add "([^"]+)" to "required" of the object around it$/,
    (on, name = '') => {
      const after = removed(on)
      if (after === undefined) return undefined
      const object = on.pointer.slice(0, -3)
      return changed({ ...on, ...again(after, on) }, object, value => {
        const { required = [] } = value as { required?: string[] }
        return { ...(value as object), required: [...required, name] }
      })
    },
  ],
  [
    /^Remove it,(?: and)? write "type": (\[.*?\])(, and add null to "enum")?$/,
    (on, types = '', also) =>
      changed(on, on.pointer.slice(0, -1), value => {
        const node = withoutMember(value as Members, on.pointer.slice(-1))
        const values = also === undefined ? {} : { enum: [...(node['enum'] as unknown[]), null] }
        return { ...node, type: JSON.parse(types), ...values }
      }),
  ],
  [
    /^Write "([^"]+)", and beside it "(\w+)": (.+)$/,
    (on, type = '', key = '', value = '') =>
      changed(on, on.pointer.slice(0, -1), node => ({
        ...(node as object),
        type,
        [key]: JSON.parse(value) as unknown,
      })),
  ],
  [
    /^Write (-?[0-9.]+), and remove "(\w+)"$/,
    (on, number = '', key = '') =>
      changed(on, on.pointer.slice(0, -1), value => ({
        ...withoutMember(value as Members, [key]),
        [String(on.pointer.at(-1))]: JSON.parse(number),
      })),
  ],
  [/^Did you mean "?([^"?\s]+)"?(?: in \[artifacts\])?\?/, (on, meant = '') => meantInstead(on, meant)],
  [
    /^Write ([\w.-]+) = (.+?)(?:, which is all that the tools start)?$/s,
    (on, key = '', text = '') => lineOf(on, key, text),
  ],
  [
    new RegExp(`^Write ${JSON_TEXT.slice(1)}(?:$|,? (?:if|or|which)\\b|[,;] )`, 's'),
    (on, text = '') => written(on, text),
  ],
  [
    /^(?:Remove (?:it(?! from every)|the entry|the key|the line|this line|one of the two|allow_http)\b|Leave the variable out$)/,
    on => removed(on),
  ],
  [/^Remove "[^"]*" from (?:net|secrets|exec)$/, on => removed(on)],
  [/^(?:If the change to the file is meant, run|Run) rlp agent digest/, on => ({ ...on.tree })],
  [
    /^(?:Run rlp agent lint --fix|Save the file as UTF-8 without a byte order mark|Put (?:it|them) into properties|Write prefixItems)/,
    on => {
      const files = fixAll(on.agent).files.map(({ path, text }) => [path, text] as const)
      return files.length === 0 ? undefined : { ...on.tree, ...Object.fromEntries(files) }
    },
  ],
]

/** The fixes that leave the words, the build or the decision to the author. */
const BY_HAND: readonly RegExp[] = [
  /^Save the file as UTF-8 without/,
  /^Remove it from every schema/,
  /^Put the (?:command line|code|query) into/,
  /^Set "stdin" in "x-rlp" to true, and read/,
  /^If they are one secret/,
  /^Remove one of the two$/,
  /^(?:Name|Say|Describe|Correct|Choose|Shorten|Rename|Restore|Build|Link|Narrow|Give|Keep|Let|Use|Make|Pack|Repeat|Break|Pin|Revoke|Install|Flatten) /,
  /^(?:Refer to|Put a|Put templates|Put the line|Move (?:the file|it into schemas)|Leave (?:it|them|the file) out|List (?:the file|a secret)|Hand the value|Pass the value|Replace it with \{\{|Send the value|Add (?:"description"|what|entry_|a header|an input|"then"|"visibility"|"[^"]*" to properties|"const))/,
  /^(?:End the description|Percent-encode|Wait|Change the value|For example|Run rlp agent verify|Reach )/,
  /^Write (?:true|false|one|a |the |an |what|family|host|for example|it |https:|hosts|at net|schema:|\{\{input\.<|\{\{secret|absolute|lower|"[?&]|"type": "object", and|"requires_confirmation": true for|both|"[^"]*"(?:, "[^"]*")* or |without|here|simpler|\^ at|smaller|%s|a plain|entry_wasm = |\{\{input)/,
  /^Remove (?:it here|the flags|the character|the entry, and correct|it, (?:and|or)|this one|SIGNATURES|some|what|it(?:; the|:)|the imports)/,
  /^Write "[?&]/,
  /^Close it/,
]

type Members = Record<string, unknown>

function again(tree: Tree, { label, problem }: Following): Pick<Following, 'tree' | 'agent' | 'document'> {
  const agent = agentOfTree(tree, label)
  return { tree, agent, document: agent.documents.get(problem.file) }
}

/** The first text in quotes of a message. */
function quotedIn(message: string): string {
  const quoted = /"(?:[^"\\]|\\.)*"/.exec(message)?.[0]
  if (quoted === undefined) throw new Error(`a message without a text in quotes: ${message}`)
  return JSON.parse(quoted) as string
}

function isKey({ problem: { place } }: Following): boolean {
  return place !== undefined && 'pointer' in place && place.part === 'key'
}

function isJson({ problem: { file } }: Following): boolean {
  return file.endsWith('.json')
}

/** Another value at a pointer of a file in JSON. */
function changed(on: Following, pointer: Pointer, change: (value: unknown) => unknown): Tree | undefined {
  const { document, tree, problem } = on
  if (document === undefined || !isJson(on)) return undefined
  const root = structuredClone(document.value)
  const holder = { root } as Members
  const path = ['root', ...pointer]
  let at: Members = holder
  for (const step of path.slice(0, -1)) at = at[step] as Members
  const last = String(path.at(-1))
  at[last] = change(at[last])
  return { ...tree, [problem.file]: JSON.stringify(holder['root'], undefined, 2) }
}

function withMember(on: Following, key: string, value: unknown): Tree | undefined {
  return changed(on, on.pointer, object => ({ ...(object as object), [key]: value }))
}

/** Without the member that a pointer leads to. */
function withoutMember(object: Members, pointer: Pointer): Members {
  const copy = structuredClone(object)
  let at: Members = copy
  for (const step of pointer.slice(0, -1)) at = at[step] as Members
  delete at[String(pointer.at(-1))]
  return copy
}

/** The text at the place, as a value. */
function replaced(on: Following, change: (value: string) => string): Tree | undefined {
  if (isJson(on)) return changed(on, on.pointer, value => change(String(value)))
  return undefined
}

function written(on: Following, text: string): Tree | undefined {
  if (isJson(on)) return changed(on, on.pointer, () => JSON.parse(text) as unknown)
  const range = on.document?.locate(on.pointer, 'value')
  return range === undefined ? undefined : spliced(on, range.start, range.end, text)
}

function spliced(on: Following, start: number, end: number, text: string): Tree {
  const before = String(on.tree[on.problem.file])
  return { ...on.tree, [on.problem.file]: before.slice(0, start) + text + before.slice(end) }
}

/** A line of TOML: `key = value` at the place of the key. */
function lineOf(on: Following, key: string, text: string): Tree | undefined {
  const { document, pointer } = on
  if (document === undefined || isJson(on)) return undefined
  if (pointer.length === 0) return undefined
  if (String(pointer.at(-1)) === key) return written(on, text)
  return undefined
}

function renamed(on: Following, to: string, value?: unknown): Tree | undefined {
  const key = String(on.pointer.at(-1))
  if (isJson(on))
    return changed(on, on.pointer.slice(0, -1), object =>
      Object.fromEntries(
        Object.entries(object as Members).map(([name, member]) =>
          name === key ? [to, value ?? member] : [name, member],
        ),
      ),
    )
  const range = on.document?.locate(on.pointer, 'key')
  return range === undefined ? undefined : spliced(on, range.start, range.end, to)
}

/** A key where the place is a key, else the value. */
function meantInstead(on: Following, meant: string): Tree | undefined {
  const { problem, pointer } = on
  if (problem.fix.includes('exists already')) return removed(on)
  if (isKey(on)) {
    if (/in \[artifacts\]\?/.test(problem.fix))
      return inText(on, problem.file, `[${String(pointer.at(-1))}]`, `[artifacts.${meant}]`)
    // A key of a table that no reader knows: the table was meant.
    if (problem.message.includes('is not a table that may hold'))
      return renamed({ ...on, pointer: pointer.slice(0, -1) }, meant)
    if (problem.fix.includes('Move what is in it there'))
      return inText(on, problem.file, `[${String(pointer.at(-1))}.`, `[${meant}.`)
    return renamed(on, meant)
  }
  return written(on, JSON.stringify(meant))
}

function removed(on: Following): Tree | undefined {
  const { document, pointer, problem, tree } = on
  if (document === undefined || pointer.length === 0) return undefined
  if (isJson(on))
    return changed(on, pointer.slice(0, -1), value =>
      Array.isArray(value)
        ? value.filter((_, index) => index !== pointer.at(-1))
        : withoutMember(value as Members, pointer.slice(-1)),
    )
  const last = pointer.at(-1)
  const table = new RegExp(`^\\[${pointer.join('\\.')}(?:\\.[^\\]]*)?\\]\\n(?:(?!\\[).*\\n?)*`, 'gm')
  if (table.test(String(tree[problem.file])))
    return { ...tree, [problem.file]: String(tree[problem.file]).replace(table, '') }
  if (typeof last !== 'number') {
    const key = document.locate(pointer, 'key')
    const value = document.locate(pointer, 'value')
    const text = String(tree[problem.file])
    const isInline = !/^\s*$/.test(text.slice(text.lastIndexOf('\n', key.start - 1) + 1, key.start))
    if (!isInline) return spliced(on, key.start, value.end, '')
    const before = /,\s*$/.exec(text.slice(0, key.start))?.[0].length ?? 0
    return spliced(on, key.start - before, value.end, '')
  }
  const list = pointer.slice(0, -1)
  const range = document.locate(list, 'value')
  const entries = valueIn(document, list) as unknown[]
  const rest = entries.filter((_, index) => index !== last).map(entry => JSON.stringify(entry))
  if (entries.some(entry => typeof entry === 'object')) return undefined
  return spliced(on, range.start, range.end, `[${rest.join(', ')}]`)
}

function valueIn(document: Document, pointer: Pointer): unknown {
  return pointer.reduce<unknown>((at, step) => (at as Members)[step], document.value)
}

function withLine({ tree }: Following, file: string, line: number, text: string): Tree {
  const lines = String(tree[file]).split('\n')
  return { ...tree, [file]: lines.map((one, index) => (index + 1 === line ? text : one)).join('\n') }
}

function belowCapabilities({ tree }: Following, text: string): Tree {
  return { ...tree, 'policy.caps': `${String(tree['policy.caps']).trimEnd()}\n${text}\n` }
}

function inText({ tree }: Following, file: string, from: string, to: string): Tree | undefined {
  const text = String(tree[file])
  return text.includes(from) ? { ...tree, [file]: text.replace(from, () => to) } : undefined
}

/** Everywhere in the entry of the tool. */
function inTool(on: Following, from: string, to: string): Tree | undefined {
  const whole = new RegExp(`(?<![\\w.-])${escapePattern(from)}(?![\\w.-])`, 'g')
  return changed(
    on,
    on.pointer.slice(0, 2),
    tool => JSON.parse(JSON.stringify(tool).replace(whole, () => to)) as unknown,
  )
}

/** The header of the table that the place is in. */
function headerOf(on: Following, header: string): Tree | undefined {
  return inText(on, on.problem.file, `[${on.pointer.slice(0, -1).join('.')}]`, header)
}

function listed(on: Following, entry: string, list: string): Tree | undefined {
  const [, , , ...inner] = on.pointer
  if (list !== 'required') return addedTo({ ...on, pointer: [...on.pointer.slice(0, 2), list] }, entry)
  // The object of the value that the placeholder names.
  const path = /input\.([A-Za-z0-9_.-]+)/.exec(on.problem.message)?.[1]?.split('.') ?? []
  const depth = path.indexOf(entry)
  const within = path.slice(0, Math.max(depth, 0)).flatMap(step => ['properties', step])
  return addedTo(
    { ...on, pointer: [...on.pointer.slice(0, 2), 'input_schema', ...within, 'required'] },
    entry,
    inner.length,
  )
}

function addedTo(on: Following, entry: string, _depth = 0): Tree | undefined {
  const key = String(on.pointer.at(-1))
  return changed(on, on.pointer.slice(0, -1), value => {
    const object = value as Members
    return { ...object, [key]: [...((object[key] as string[] | undefined) ?? []), entry] }
  })
}

function exampleAdded(on: Following, key: string, text: string): Tree | undefined {
  if (isJson(on)) return withMember(on, key, JSON.parse(text))
  const parsed = parseToml('x', new TextEncoder().encode(`${key} = ${text}\n`))
  if (!parsed.ok || on.document === undefined) return undefined
  if (on.pointer.length !== 1) {
    const { end } = on.document.locate(on.pointer, 'value')
    return spliced(on, end - 1, end, `, ${key} = ${text} }`)
  }
  const header = `[${on.pointer.join('.')}]`
  return inText(on, on.problem.file, `${header}\n`, `${header}\n${key} = ${text}\n`)
}

/** The code of a program, with a variable in place of the input and the arguments that set it. */
/** Where new arguments go, by the index of the code. */
const PLACES = {
  before: (index: number) => index,
  option: (index: number) => index - 1,
  after: (index: number) => index + 1,
  end: (_: number, count: number) => count,
}

function inCode(
  on: Following,
  to: string,
  from: string,
  where: keyof typeof PLACES,
  list: string,
): Tree | undefined {
  const texts = [...list.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => JSON.parse(text) as string)
  const index = Number(on.pointer.at(-1))
  return changed(on, on.pointer.slice(0, -1), value => {
    const args = [...(value as string[])]
    const bare = to.replace(/^"(.*)"$/, '"$1"')
    args[index] = (args[index] ?? '').replace(from, () => bare)
    args.splice(PLACES[where](index, args.length), 0, ...texts)
    return args
  })
}

/** The schema of the value that a placeholder names. */
function inInput(
  on: Following,
  pathOf: (named: { readonly path: readonly string[] }) => readonly string[],
  change: (schema: Members) => Members,
): Tree | undefined {
  const text = String(valueIn(on.document as Document, on.pointer))
  const named = [...text.matchAll(/\{\{input\.([^}]+)\}\}/g)].map(([, path = '']) => path.split('.'))
  const path = named.find(one => on.problem.message.includes(one.join('.'))) ?? named[0] ?? []
  const within = pathOf({ path }).flatMap(step => (/^[0-9]+$/.test(step) ? ['items'] : ['properties', step]))
  return changed(on, [...on.pointer.slice(0, 2), 'input_schema', ...within], value =>
    change(value as Members),
  )
}
