// Reads an answer as typed, or says why it is invalid: with the readers that lint uses, while the person is still at the question.

import type { Reading } from '../../model/reading.ts'
import { addressMeant, neverReached } from '../../policy/address.ts'
import { readCapability } from '../../policy/capability.ts'
import type { CapabilityFamily } from '../../policy/families/family.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { entryProblem } from '../../policy/grant-entry.ts'
import { readHostPort, spelledHost } from '../../policy/host.ts'
import { plainPathProblem } from '../../policy/plain-path.ts'
import { quoted } from '../../text/printable.ts'
import { placeholdersIn } from '../../tools/template.ts'
import { commandProblem } from '../../tools/transports/exec.ts'
import { readToolsV1 } from '../../tools/v1.ts'
import { grant, NO_GRANTS } from '../grant.ts'

/** The word for "no model". */
export const NO_MODEL = 'none'

/** Trimmed, blanks dropped, sorted, without repeats, as the existing tool does (runloop cases `promptList`). */
export function itemsOf(text: string): string[] {
  const items = text.split(',').map(item => item.trim())
  return [...new Set(items.filter(item => item !== ''))].sort()
}

/** Hosts in the one spelling that every reader compares alike. */
export function hostsOf(text: string): string[] {
  return itemsOf(itemsOf(text).map(spelledHost).join(','))
}

/** The first problem of a list's items. */
export function eachItem(
  problemOf: (item: string) => string | undefined,
): (text: string) => string | undefined {
  return text => {
    for (const item of itemsOf(text)) {
      const problem = problemOf(item)
      if (problem !== undefined) return `${quoted(item, 60)}: ${problem}`
    }
    return undefined
  }
}

export function descriptionProblem(text: string): string | undefined {
  if (text === '') return 'say in a few words what it is for'
  // Line feeds and tabs are layout; any other control would steer a reader's terminal.
  return /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text) ? 'it has a control character' : undefined
}

export function modelProblem(text: string): string | undefined {
  if (text === '') return `name a model, or ${NO_MODEL}`
  return /^[\x21-\x7e]+$/.test(text) ? undefined : 'a model id has no white space and no special characters'
}

export function folderProblem(text: string): string | undefined {
  if (/[\x00-\x1f\x7f-\x9f]/.test(text)) return 'it has a control character'
  if (!text.startsWith('/') && !text.startsWith('~/'))
    return 'write an absolute folder, or one that begins with ~/'
  const hasDots = text.split('/').some(segment => segment === '..' || segment === '.')
  if (hasDots) return 'write it without . and .. segments'
  const odd = plainPathProblem('fs', text)
  return odd && `it ${odd.why}`
}

export function hostProblem(text: string): string | undefined {
  const target = readHostPort(text)
  if ('problem' in target) return target.problem
  const why = neverReached(target)
  if (why === undefined) return undefined
  const meant = addressMeant(target.host)
  return `no call is ever sent there: it is ${why}${meant === undefined ? '' : `; write ${text.toLowerCase().replace(target.host, meant)}`}`
}

/** Of a knowledge-base domain or a secret id: a name without wildcard. */
export function nameProblem(text: string): string | undefined {
  if (/[\s\x00-\x1f\x7f-\x9f]/.test(text)) return 'a name has no white space and no control character'
  return text.includes('*') ? 'wildcards are not supported; name each one' : undefined
}

/** Of a secret id: what policy.caps cannot grant, or no placeholder can name, is refused while it is typed. */
export function secretProblem(text: string): string | undefined {
  const [part] = placeholdersIn(`{{secret:${text}}}`)
  const odd = entryProblem('secrets', text)
  return (
    nameProblem(text) ??
    (odd && `${odd.message}. ${odd.fix}`) ??
    (part?.kind === 'secret' && part.id === text ? undefined : 'no header can name it')
  )
}

/** Other ids are used in real bundles, so this is only advice. */
export function secretAdvice(text: string): string | undefined {
  const odd = itemsOf(text).filter(id => !/^runloop(?:\/[a-z0-9_-]+){2}$/.test(id))
  return odd.length === 0 ? undefined : `${odd.join(', ')}: secret ids usually read runloop/<scope>/<name>`
}

/** A capability that some policy can grant. */
export function neededCapabilityProblem(text: string): string | undefined {
  const capability = readCapability(text)
  if ('problem' in capability) return capability.problem
  const { family, scope } = capability
  const problem = scope === undefined ? undefined : PROBLEMS[capabilityFamily(family).scope](scope)
  return problem ?? ungrantable(text)
}

const PROBLEMS: { readonly [S in CapabilityFamily['scope']]: (scope: string) => string | undefined } = {
  none: () => undefined,
  host: hostProblem,
  folder: folderProblem,
  program: commandProblem,
  name: nameProblem,
}

function ungrantable(capability: string): string | undefined {
  const needy = NO_NEEDS.map(tool => ({ ...tool, capabilities: [capability] }))
  // The command of the empty tool can be granted, so only the answer can be impossible.
  const [need] = grant(NO_GRANTS, needy).impossible
  return need && 'no entry of policy.caps means this; name what is needed, as net:api.mail.example'
}

const NO_NEEDS = readToolsV1({
  tools: [{ id: 'x', description: 'x', transport: { kind: 'exec', command: '/x' } }],
}).tools

export function integerProblem(text: string): string | undefined {
  if (text === '') return undefined
  const isRead = /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
  return isRead ? undefined : 'write a whole number, for example 2000'
}

export function decimalProblem(text: string): string | undefined {
  if (text === '') return undefined
  return /^[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text)
    ? undefined
    : 'write a decimal number with a point, for example 0.05'
}

/** The problem is about one of the lines, which it quotes. */
export function headersIn(lines: readonly string[]): Reading<Readonly<Record<string, string>>> {
  const headers = new Map<string, [name: string, value: string]>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*(.*)$/.exec(line) ?? []
    if (name === '') return { problem: `${quoted(line)} is not "Name: value"` }
    if (headers.has(name.toLowerCase())) return { problem: `${quoted(line)} appears twice` }
    headers.set(name.toLowerCase(), [name, value.trim()])
  }
  return { value: Object.fromEntries(headers.values()) }
}
