import { secretIn } from '../../../format/secret/packed-secret.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { transportKind } from '../../../format/transports/index.ts'
import { type Agent, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Rule } from '../rule.ts'

export const secretsLiteral: Rule = {
  id: 'secrets/literal',
  severity: 'error',
  scope: 'source',
  summary: 'a key or token is written into tools.json',
  why: 'Everybody who gets the bundle gets the credential, for as long as it is valid: a signed file cannot be cleaned afterwards. Found by forms that nothing else has, in every text of the file.',
  fix: 'Revoke it, put a new one into the store of secrets, and write {{secret:<id>}} in a header. Write x-test-key before one that is there for tests.',
  *check(agent) {
    const document = agent.documents.get(TOOLS_FILE)
    if (document === undefined) return
    let seen = 0
    let tool: Pointer[number] | undefined
    for (const { pointer, part, text } of textsIn(document.value)) {
      seen += 100 + text.length
      if (pointer[1] !== tool || seen > MOST_AT_ONCE) {
        tool = pointer[1]
        seen = 0
        yield
      }
      if (secretIn(text) === undefined) continue
      const { start } = document.locate(pointer, part)
      const kind = secretIn(text, document.text.slice(0, start))
      if (kind === undefined) continue
      yield {
        file: TOOLS_FILE,
        place: { pointer, part },
        // A report must not contain the credential itself.
        message: `${part === 'key' ? 'A key' : quoteText(nameOf(pointer), 60)} holds ${kind}`,
        fix: fixAt(agent, pointer),
      }
    }
  },
}

/** Characters of one tool that are looked at before other work gets its turn; a text counts as a hundred more. */
const MOST_AT_ONCE = 100_000

interface PlacedText {
  readonly pointer: Pointer
  readonly part: 'key' | 'value'
  readonly text: string
}

/** Every text of a JSON value, keys too, in the order in which they are written. */
function* textsIn(root: unknown): Generator<PlacedText> {
  const open: { readonly pointer: Pointer; readonly value: unknown }[] = [{ pointer: [], value: root }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, value } = next
    const last = pointer.at(-1)
    if (typeof last === 'string') yield { pointer, part: 'key', text: last }
    if (typeof value === 'string') yield { pointer, part: 'value', text: value }
    if (typeof value !== 'object' || value === null) continue
    const members: (readonly [Pointer[number], unknown])[] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value)
    for (const [step, child] of members.reverse()) open.push({ pointer: [...pointer, step], value: child })
  }
}

function nameOf(pointer: Pointer): string {
  return String(pointer.findLast(step => typeof step === 'string') ?? TOOLS_FILE)
}

function fixAt({ tools }: Agent, [list, index, member]: Pointer): string {
  const tool = list === 'tools' && member === 'transport' ? tools?.tools[Number(index)] : undefined
  return tool === undefined ? 'Revoke it, and remove it' : transportKind(tool.transport).credentialFix
}
