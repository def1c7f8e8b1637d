// PEM as people carry it → PEM with line ends. Variables of pipelines hold it with `\n` for line ends, or in base64 once more. Apart from
// other texts of keys, so that a program that is started needs nothing that knows keys.

/** Undefined if the text holds no PEM. */
export function pemIn(text: string): string | undefined {
  const plain = bare(text)
  const pem = isPem(plain) ? plain : fromBase64(plain)
  if (pem === undefined || !isPem(pem)) return undefined
  return pem.includes('\n') ? pem : pem.replace(/\\r?\\n|\\n|\\r/g, '\n')
}

function isPem(text: string): boolean {
  return text.startsWith('-----BEGIN ')
}

export function bare(text: string): string {
  return text.replace(/^\ufeff/, '').trim()
}

/** Of PEM that was encoded in base64 once more. */
function fromBase64(text: string): string | undefined {
  const plain = text.replace(/\s+/g, '')
  // `-----BEGIN ` in base64 begins so.
  if (!/^LS0tLS1CRUdJTi[A-Za-z0-9+/]*={0,2}$/.test(plain)) return undefined
  return Buffer.from(plain, 'base64').toString('latin1').trim()
}
