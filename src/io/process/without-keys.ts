// The variables of this process → those that another program may get. Keys that sign, and what opens them, stay here.
import { pemIn, readPem } from '../../signature/pem.ts'

/** Open a key, or sign in place of one: an identity token, and what a job of GitHub Actions gets one with. */
const SIGNING = [
  'RLP_KEY_PASSPHRASE',
  'SIGSTORE_ID_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_URL',
]

/**
 * Without the passphrase, without identity tokens, and without every variable that holds a key with which bundles are signed, encrypted or not, whatever it is called:
 * any of them may be the one that `--key env:VAR` names.
 */
export function withoutKeys(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || SIGNING.includes(name) || holdsKey(value) ? [] : [[name, value]],
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
