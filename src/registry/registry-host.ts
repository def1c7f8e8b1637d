// What a person types for a registry → its host and port.

import { UsageError } from '../model/error.ts'
import { SCHEME } from '../oci/scheme.ts'
import { readHostPort } from '../policy/host.ts'
import type { RegistryHost } from './login.ts'

/** @param doing for the message: `log in at`. @throws UsageError */
export function registryHost(text: string, doing: string): RegistryHost {
  const read = readHostPort(text)
  if (!('problem' in read) && URL.canParse(`https://${read.host}/`)) return read
  const state = 'problem' in read ? read.problem : 'no server can have this name'
  const [rest = ''] = text
    .replace(/^https?:\/\//i, '')
    .replace(SCHEME, '')
    .split('/')
  const isAddress = rest !== text && rest !== ''
  throw new UsageError(
    `Cannot ${doing} "${text}": ${isAddress ? 'it is more than the name of a host' : state}`,
    {
      hint: isAddress
        ? `Name the host alone: ${rest}`
        : 'Name a host, as registry.example or registry.example:5000',
    },
  )
}
