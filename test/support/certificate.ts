// X.509 certificates, written by hand (RFC 5280): what a test needs of TLS servers, valid or not, without files that expire.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { writeDer } from '../../fixtures/conformance/der.ts'

export interface Authority {
  /** PEM. */
  readonly cert: string
  readonly name: string
  readonly key: KeyObject
}

export interface Certificate {
  /** PEM, both. */
  readonly cert: string
  readonly key: string
}

export function makeAuthority(name: string): Authority {
  const { privateKey, publicKey } = keys()
  const extensions = [extension([0x55, 0x1d, 0x13], true, sequence(tlv(0x01, Buffer.from([0xff]))))]
  const cert = certificate({ name, issuer: name, publicKey, signer: privateKey, extensions, ...DATES })
  return { cert, name, key: privateKey }
}

/** @param hosts names and IPv4 addresses */
export function makeCertificate(
  authority: Authority,
  hosts: readonly string[],
  dates: { readonly from: string; readonly to: string } = DATES,
): Certificate {
  const { privateKey, publicKey } = keys()
  const names = hosts.map(host =>
    isIPv4(host) ? tlv(0x87, Buffer.from(host.split('.').map(Number))) : tlv(0x82, Buffer.from(host)),
  )
  const extensions = [extension([0x55, 0x1d, 0x11], false, sequence(...names))]
  const about = { name: 'server', issuer: authority.name, publicKey, signer: authority.key, extensions }
  return { cert: certificate({ ...about, ...dates }), key: pemOf(privateKey) }
}

/** As GeneralizedTime. */
const DATES = { from: '20200101000000Z', to: '22200101000000Z' }

function keys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pemOf(key: KeyObject): string {
  return createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })).export({
    type: 'pkcs8',
    format: 'pem',
  }) as string
}

interface Parts {
  readonly name: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly from: string
  readonly to: string
  readonly extensions: readonly Buffer[]
}

let serial = 1

function certificate({ name, issuer, publicKey, signer, from, to, extensions }: Parts): string {
  // ecdsa-with-SHA256
  const algorithm = sequence(tlv(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])))
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([serial++ & 0x7f])),
    algorithm,
    commonName(issuer),
    sequence(tlv(0x18, Buffer.from(from)), tlv(0x18, Buffer.from(to))),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, signer)]))
  const base64 = sequence(body, algorithm, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function commonName(text: string): Buffer {
  return sequence(
    tlv(0x31, sequence(tlv(0x06, Buffer.from([0x55, 0x04, 0x03])), tlv(0x0c, Buffer.from(text)))),
  )
}

function extension(id: readonly number[], isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [tlv(0x01, Buffer.from([0xff]))] : []
  return sequence(tlv(0x06, Buffer.from(id)), ...critical, tlv(0x04, value))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts))
}

/** Tag, length, value. */
function tlv(tag: number, value: Buffer): Buffer {
  return writeDer({ tag, content: value })
}
