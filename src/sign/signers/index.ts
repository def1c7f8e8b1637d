// The registry of places where private keys are: one file and one line each. The first that holds a key decides. Help, questions and shells
// take the spellings from here.
import { keyRefused, type SignerKind } from './kind.ts'

interface SignerEntry {
  /** How a key of this place is written. */
  readonly spelled: string
  /** What its names begin with, for completion. */
  readonly prefix?: string
  /** Whether the private key can be taken out, to be kept elsewhere. */
  readonly leaves: boolean
  holds(which: string): boolean
  /** Loaded when a key of this place is used, and not before. */
  load(): Promise<SignerKind>
}

const SIGNERS: readonly SignerEntry[] = [
  {
    spelled: 'env:VAR',
    ...begins('env:'),
    leaves: true,
    load: async () => (await import('./environment.ts')).environment,
  },
  {
    spelled: 'ssh-agent:KEY',
    ...begins('ssh-agent:'),
    leaves: false,
    load: async () => (await import('./ssh-agent.ts')).sshAgent,
  },
  {
    spelled: 'command:PROGRAM',
    ...begins('command:'),
    leaves: false,
    load: async () => (await import('./program.ts')).program,
  },
  {
    spelled: '- for standard input',
    leaves: true,
    holds: which => which === '-',
    load: async () => (await import('./standard-input.ts')).standardInput,
  },
  {
    // What no other place holds is a name or a path.
    spelled: 'a name, a PEM file',
    leaves: true,
    holds: () => true,
    load: async () => (await import('./file.ts')).file,
  },
]

/** As other signers write the keys of key services, and of modules (RFC 7512). */
const SERVICE = /^(?:[a-z][a-z0-9+.-]*:\/\/|pkcs11:)/i

function begins(prefix: string) {
  return { prefix, holds: (which: string) => which.startsWith(prefix) }
}

/** @throws RlpError USAGE for the address of a key service */
export async function signerKindOf(which: string): Promise<SignerKind> {
  if (SERVICE.test(which))
    throw keyRefused(which, 'USAGE', 'rlp speaks to no key service and no module itself', SERVICE_HINT)
  const kind = SIGNERS.find(({ holds }) => holds(which))
  if (kind === undefined) throw new TypeError('the last kind holds every key')
  return kind.load()
}

/** How a key may be written, for help: the names that people use most come first. */
export function keySpellings(which: 'all' | 'that leave their place' = 'all'): string {
  const listed = SIGNERS.filter(({ leaves }) => which === 'all' || leaves).map(({ spelled }) => spelled)
  const [most = '', ...others] = [...listed.slice(-1), ...listed.slice(0, -1)]
  return [most, ...others.slice(0, -1)].join(', ').concat(` or ${others.at(-1)}`)
}

const SERVICE_HINT = `A key is ${keySpellings()}. For a key service or a module, command: names a program that asks it (docs/keys.md)`

/** What the name of a key may begin with, for shells. */
export function keyPrefixes(): string[] {
  return SIGNERS.flatMap(({ prefix }) => prefix ?? [])
}
