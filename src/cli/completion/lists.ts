// What the scripts read out of files with find and sed: agents and references of a lock, identities, and signers of a trust policy. Node would take longer
// to start. Only words without a meaning for shells and terminals are taken, and only out of regular files that are small.
import { digestText } from '../../text/digest-text.ts'
import type { ListName } from '../option.ts'

/** Where it is read: from the file that an option names, else one here or in the home of rlp; or from all files in a folder of the home. */
export interface ListPlace {
  readonly sed: string
  readonly option?: string
  readonly here?: string
  readonly home?: string
  readonly pattern?: string
}

/** A lock is exactly these lines (docs/spec/lock.md, 15.3). */
const LOCK = { option: '--lock', here: 'rlp.lock' } as const
const IS_LOCK = '1{/^version = 1$/!q;}'
const NAME = String.raw`\([A-Za-z0-9_][A-Za-z0-9_-]*\)`
const VARIANT = String.raw`\([A-Za-z0-9_][A-Za-z0-9_-]*@[A-Za-z0-9_][A-Za-z0-9_-]*\)`
const REFERENCE = String.raw`\(oci[a-z-]*:[A-Za-z0-9_.:/@-]*\)`
const HEX = String.raw`[0-9a-f]\{64\}`
const POLICY = { option: '--trust-policy', home: 'trust-policy.toml' } as const

export const LISTS: Readonly<Record<ListName, readonly ListPlace[]>> = {
  locked: [{ ...LOCK, sed: `${IS_LOCK};s/^\\[agents\\.${NAME}]$/\\1/p;s/^\\[agents\\."${VARIANT}"]$/\\1/p` }],
  reference: [{ ...LOCK, sed: `${IS_LOCK};s|^source = "${REFERENCE}"$|\\1|p` }],
  identity: [
    { ...LOCK, sed: `${IS_LOCK};s/^identity = "\\(${digestText(HEX)}\\)"$/\\1/p` },
    { home: 'state', pattern: '*.json', sed: `s/^ *"manifestDigest": *"\\(${HEX}\\)",*$/blake3:\\1/p` },
  ],
  signer: [
    {
      ...POLICY,
      sed: ['anchors', 'groups']
        .flatMap(table => [
          `/^\\[${table}]/,/^\\[/s/^${NAME} *=.*/\\1/p`,
          `s/^\\[${table}\\.${NAME}].*/\\1/p`,
        ])
        .join(';'),
    },
  ],
}

/** Bytes; more is not read. */
const MOST = 1_048_576

/**
 * The command that reads a place, in words that every shell understands alike.
 * @param home a word of the shell for the home of rlp
 * @param typed a word of the shell for the value of an option, or for another one
 */
export function readCommand(
  { sed, option, here, home: inHome, pattern }: ListPlace,
  home: string,
  typed: (option: string, other: string) => string,
): string {
  const other = inHome === undefined ? `${here}` : `${home}/${inHome}`
  const file = option === undefined ? other : typed(option, other)
  const which = pattern === undefined ? '-maxdepth 0' : `-maxdepth 1 -name '${pattern}'`
  return `LC_ALL=C command find -L ${file} ${which} -type f -size -${MOST + 1}c -exec sed -n '${sed}' '{}' + 2>/dev/null`
}
