import { type Agent, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { isTable, own } from '../../../model/own.ts'
import { mayHoldCredential } from '../../../secret/credential.ts'
import { secretIn } from '../../../secret/packed-secret.ts'
import { quoteText } from '../../../text/quote.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import { toolAt } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'

export const secretsLiteral: Rule = {
  id: 'secrets/literal',
  severity: 'error',
  scope: 'source',
  summary: 'a key or token is written into tools.json',
  why: 'Everybody who gets the bundle gets the credential, for as long as it is valid: a signed file cannot be cleaned afterwards. Found by forms that nothing else has, in every text of the file.',
  fix: 'Revoke it, put a new one into the store of secrets, and write {{secret:<id>}} in a header. Write x-test-key before one that is there for tests.',
  looks: 'agent',
  needs: { [TOOLS_FILE]: 'readable' },
  check({ agent }, report) {
    const document = agent.documents.get(TOOLS_FILE)
    if (document === undefined || !mayHoldOne(document.value)) return
    eachText(document.value, [], (text, path, part) => {
      if (secretIn(text) === undefined) return
      const pointer = [...path]
      const { start } = document.locate(pointer, part)
      const kind = secretIn(text, document.text.slice(0, start))
      if (kind === undefined) return
      report({
        file: TOOLS_FILE,
        place: { pointer, part },
        // A report must not contain the credential itself.
        message: `${part === 'key' ? 'A key' : quoteText(nameOf(pointer), 60)} holds ${kind}`,
        fix: fixAt(agent, pointer),
      })
    })
  },
}

/** Whether a text of a JSON value, or a key, may be one. Makes nothing: in nearly every document none is. */
function mayHoldOne(value: unknown): boolean {
  if (typeof value === 'string') return mayHoldCredential(value)
  if (Array.isArray(value)) {
    for (const item of value) if (mayHoldOne(item)) return true
  } else if (isTable(value))
    for (const name in value) if (mayHoldCredential(name) || mayHoldOne(own(value, name))) return true
  return false
}

/**
 * Looks at every text of a JSON value, keys too, in the order in which they are written.
 * @param path of the value; it changes afterwards
 */
function eachText(
  value: unknown,
  path: (string | number)[],
  look: (text: string, path: Pointer, part: 'key' | 'value') => void,
): void {
  if (typeof value === 'string') look(value, path, 'value')
  const within = (step: string | number, child: unknown): void => {
    path.push(step)
    if (typeof step === 'string') look(step, path, 'key')
    eachText(child, path, look)
    path.pop()
  }
  if (Array.isArray(value)) for (const [index, item] of value.entries()) within(index, item)
  else if (isTable(value)) for (const [name, member] of Object.entries(value)) within(name, member)
}

function nameOf(pointer: Pointer): string {
  return String(pointer.findLast(step => typeof step === 'string') ?? TOOLS_FILE)
}

function fixAt(agent: Agent, [list, index, member]: Pointer): string {
  const isTransport = list === 'tools' && member === 'transport'
  const tool = isTransport ? toolAt(agent, index) : undefined
  return tool === undefined ? 'Revoke it, and remove it' : transportKind(tool.transport).credentialFix
}
