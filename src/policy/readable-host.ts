// Text with hosts in punycode → the same with the readable form beside each: a reviewer cannot read `xn--mnchen-3ya.example`.
import { domainToUnicode } from 'node:url'

/** A longer text is not a host. */
const PUNYCODE =
  /(?<![A-Za-z0-9.-])(?=[A-Za-z0-9.-]{1,253}(?![A-Za-z0-9.-]))[A-Za-z0-9.-]*xn--[A-Za-z0-9.-]*/gi

/** `may reach xn--mnchen-3ya.example` becomes `may reach xn--mnchen-3ya.example (münchen.example)`. */
export function withReadableHosts(text: string): string {
  if (!/xn--/i.test(text)) return text
  return text.replace(PUNYCODE, host => {
    const readable = domainToUnicode(host)
    return readable === '' || readable === host.toLowerCase() ? host : `${host} (${readable})`
  })
}
