// The variables of this process → those that another program may get. Keys that sign, and what opens them, stay here.
import { pemIn } from '../../format/signature/pem-text.ts'
import { readPem } from '../../format/signature/pkcs8.ts'

/** Opens a key, and is of no use to a program that has none. */
const PASSPHRASE = 'RLP_KEY_PASSPHRASE'

/**
 * Without the passphrase, and without every variable that holds a key with which bundles are signed, encrypted or not, whatever it is called:
 * any of them may be the one that `--key env:VAR` names.
 */
export function withoutKeys(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name === PASSPHRASE || holdsKey(value) ? [] : [[name, value]],
    ),
  )
}

function holdsKey(value: string): boolean {
  const pem = pemIn(value) ?? value
  if (!/-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/.test(pem)) return false
  const read = readPem(pem, undefined)
  // One that cannot be read may still be a key: it is damaged, encrypted, or beside another.
  return read.ok || read.why !== 'other-algorithm'
}
