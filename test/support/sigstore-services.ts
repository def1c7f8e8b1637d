// Fulcio, Rekor 1 and 2, a time stamp authority and an OIDC issuer, on loopback alone, made for one test: over the machinery of
// @sigstore/mock, with what it lacks. And the trusted root and the signing configs that fit exactly these.
//
// What is ours, and why: the mock's Fulcio checks no proof of possession, and writes every subject as a URI; its Rekor 1 echoes a proposed
// entry, which for `dsse` is not the entry of the log; its Rekor 2 makes entries that do not verify; its time stamps fail where the
// milliseconds end in 0; the chain of its time stamp authority begins with the certificate that it calls intermediate.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
  type webcrypto,
} from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import {
  fulcioHandler,
  initializeCA,
  initializeCTLog,
  initializeTLog,
  initializeTSA,
  tsaHandler,
} from '@sigstore/mock'
import { preAuthEncoding } from '../../src/signature/envelope.ts'

/** The X.509 library of the mock, for certificates that it does not make. */
const x509 = createRequire(createRequire(import.meta.url).resolve('@sigstore/mock'))('@peculiar/x509')

export type Service = 'fulcio' | 'rekor' | 'rekor2' | 'tsa' | 'issuer'
export const SERVICES: readonly Service[] = ['fulcio', 'rekor', 'rekor2', 'tsa', 'issuer']

export interface AskedSigstore {
  readonly service: Service
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers in a service's place, and says so; false leaves the answer to it. */
export type MeddleSigstore = (asked: AskedSigstore, response: ServerResponse) => boolean | Promise<boolean>

export type Claims = Readonly<Record<string, unknown>>

export interface Subject {
  readonly type: 'url' | 'email' | 'dns'
  readonly value: string
}

export interface CertificateWanted {
  /** DER, SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array
  readonly subjects: readonly Subject[]
  /** By OID. `legacy` is written as it is, else as a UTF8String. */
  readonly extensions?: readonly { readonly oid: string; readonly value: string; readonly legacy?: boolean }[]
}

export interface SignedBy {
  /** Claims of the token, over those of {@link GITHUB_CLAIMS}; in place of them, if `iss` is another. */
  readonly claims?: Claims
  /** Rekor, 1 by default; 2 has no promise, and so a time stamp. */
  readonly version?: 1 | 2
  /** Subjects and extensions, in place of what Fulcio makes of the claims. */
  readonly certificate?: Omit<CertificateWanted, 'publicKey'>
  /** Adds a time stamp to an entry of Rekor 1. */
  readonly stamped?: boolean
  readonly payloadType?: string
}

/** What GitHub says of a run of a release workflow. */
export const GITHUB_CLAIMS: Claims = {
  iss: 'https://token.actions.githubusercontent.com',
  aud: 'sigstore',
  sub: 'repo:acme/agents:ref:refs/tags/v1.0.0',
  event_name: 'push',
  ref: 'refs/tags/v1.0.0',
  sha: '5f1d2c3b4a5968778695a4b3c2d1e0f123456789',
  repository: 'acme/agents',
  repository_id: '123456789',
  repository_owner: 'acme',
  repository_owner_id: '42',
  repository_visibility: 'public',
  run_id: '77',
  run_attempt: '1',
  runner_environment: 'github-hosted',
  workflow: 'release',
  workflow_ref: 'acme/agents/.github/workflows/release.yml@refs/tags/v1.0.0',
  workflow_sha: '5f1d2c3b4a5968778695a4b3c2d1e0f123456789',
  job_workflow_ref: 'acme/agents/.github/workflows/release.yml@refs/tags/v1.0.0',
  job_workflow_sha: '5f1d2c3b4a5968778695a4b3c2d1e0f123456789',
}
const ENVIRONMENT_EXTENSION = '1.3.6.1.4.1.57264.1.23'
const SINCE = { start: '2020-01-01T00:00:00Z' }

export type SigstoreServices = Awaited<ReturnType<typeof startSigstore>>

export async function startSigstore() {
  // The mocks keep this very date, and look at it each time they need one.
  const clock = new Date()
  let fixed: Date | undefined
  const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ctlogKeys = keys()
  const ctlog = await initializeCTLog(ctlogKeys, clock)
  const caKeys = keys()
  const ca = await initializeCA(caKeys, ctlog, clock)
  const tsa = await initializeTSA(keys(), clock)
  const asked: AskedSigstore[] = []
  const requestToken = `request-${hash('sha256', String(Math.random()), 'hex').slice(0, 20)}`
  const self = {
    /** Every request, in its order. */
    asked,
    meddle: undefined as MeddleSigstore | undefined,
    /** What the issuer of tokens says; {@link GITHUB_CLAIMS} and what is here. */
    claims: {} as Claims,
  }

  const servers: Server[] = []
  const listen = async (service: Service, answer: Answer): Promise<string> => {
    const server = createServer((request, response) => {
      const work = async () => {
        const one = { service, ...(await readAll(request)) }
        asked.push(one)
        if ((await self.meddle?.(one, response)) === true) return
        tick()
        const { status, type = 'application/json', body } = await answer(one)
        response.writeHead(status, { 'content-type': type }).end(body)
      }
      work().catch(error => response.writeHead(400).end(String(error)))
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  /** Whole seconds, because of the mock's time stamps. */
  const tick = () => clock.setTime(Math.floor((fixed ?? new Date()).getTime() / 1000) * 1000)
  tick()

  const issue = async ({ publicKey, subjects, extensions = [] }: CertificateWanted): Promise<Buffer> => {
    // As the mock does it, but for the kind of subject and for how many there are.
    const { crypto, keyPair, root } = ca as unknown as MockCA
    const ec = { name: 'ECDSA', namedCurve: 'P-256' }
    const key = await crypto.subtle.importKey('spki', publicKey, ec, true, ['verify'])
    const own = extensions.map(({ oid, value, legacy }) => {
      const text = Buffer.from(value)
      return new x509.Extension(oid, false, legacy === true ? text : utf8String(text))
    })
    const content = {
      serialNumber: hash('sha256', publicKey as Buffer, 'hex')
        .slice(0, 16)
        .replace(/^./, '1'),
      notBefore: new Date(clock),
      notAfter: new Date(clock.getTime() + 10 * 60_000),
      issuer: root.subject,
      publicKey: key,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-384' },
      signingKey: keyPair.privateKey,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.codeSigning]),
        ...(subjects.length > 0 ? [new x509.SubjectAlternativeNameExtension(subjects, true)] : []),
        await x509.SubjectKeyIdentifierExtension.create(key, false, crypto),
        await x509.AuthorityKeyIdentifierExtension.create(keyPair.publicKey, false, crypto),
        ...own,
      ],
    }
    const before = await x509.X509CertificateGenerator.create(content, crypto)
    const issuer = createHash('sha256').update(caKeys.publicKey.export({ format: 'der', type: 'spki' }))
    const sct = Buffer.from(await ctlog.log(before.rawData, toArrayBuffer(issuer.digest())))
    // It has its length before it.
    const list = Buffer.concat([Buffer.from([0x04, sct.length + 2, 0, sct.length]), sct])
    content.extensions.push(new x509.Extension('1.3.6.1.4.1.11129.2.4.2', false, list))
    return Buffer.from((await x509.X509CertificateGenerator.create(content, crypto)).rawData)
  }

  /** As Fulcio does: the owner of the key has signed the subject with it. */
  const certify = async (body: string): Promise<Reply> => {
    const { credentials, publicKeyRequest } = JSON.parse(body)
    const claims = claimsOf(credentials.oidcIdentityToken)
    const { email, sub } = claims as { readonly email?: string; readonly sub: string }
    const key = createPublicKey(publicKeyRequest.publicKey.content)
    const proof = Buffer.from(publicKeyRequest.proofOfPossession, 'base64')
    if (!verify('sha256', Buffer.from(email ?? sub), key, proof))
      return refusal(400, 'The signature supplied in the request could not be verified')
    if (claims['aud'] !== 'sigstore') return refusal(401, 'audience is not sigstore')
    if (Number(claims['exp']) * 1000 <= clock.getTime()) return refusal(401, 'token is expired')
    const handler = fulcioHandler({
      rootCertificate: ca.rootCertificate,
      issueCertificate: async ({ publicKey, extensions = [] }) => {
        const { environment } = claims
        const more =
          typeof environment === 'string' ? [{ oid: ENVIRONMENT_EXTENSION, value: environment }] : []
        const wanted = { subjects: subjectsOf(claims), extensions: [...extensions, ...more] }
        return issue({
          publicKey: new Uint8Array(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength),
          ...wanted,
        }) as never
      },
    })
    return reply(await handler.fn(body))
  }

  const stamp = async (body: string): Promise<Reply> => reply(await tsaHandler(tsa).fn(body))

  const urls = {
    fulcio: await listen('fulcio', ({ body }) => certify(body)),
    rekor: '',
    rekor2: '',
    tsa: await listen('tsa', ({ body }) => stamp(body)),
    issuer: await listen('issuer', ({ headers, url }) => {
      if (headers.authorization !== `Bearer ${requestToken}`) return refusal(401, 'not authorized')
      const aud = new URL(url, 'http://localhost').searchParams.get('audience') ?? 'none'
      return ok(200, { count: 1, value: token({ ...self.claims, aud }) })
    }),
  }
  const logs = {
    rekor: await startLog1((...given) => listen('rekor', ...given), keys(), clock),
    rekor2: await startLog2((...given) => listen('rekor2', ...given)),
  }
  urls.rekor = logs.rekor.url
  urls.rekor2 = logs.rekor2.url

  /** A token without a signature of an issuer: these services read what it says, and believe it. */
  const token = (claims: Claims = {}): string => {
    const about = { iat: seconds(clock), nbf: seconds(clock), exp: seconds(clock) + 600 }
    const base = claims['iss'] === undefined ? GITHUB_CLAIMS : { aud: 'sigstore' }
    const parts = [
      { alg: 'RS256', typ: 'JWT', kid: 'mock' },
      { ...base, ...about, ...claims },
    ]
    return `${parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${Buffer.from('unsigned').toString('base64url')}`
  }

  return Object.assign(self, {
    urls,
    /** The trusted root in JSON, as `cosign trusted-root create` writes one. */
    root: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [logs.rekor.authority, logs.rekor2.authority],
      certificateAuthorities: [authorityOf('sigstore', urls.fulcio, [bytesOf(ca.rootCertificate)])],
      ctlogs: [logOf(`${urls.fulcio}/ct`, ctlogKeys.publicKey)],
      timestampAuthorities: [
        authorityOf('tsa', urls.tsa, [bytesOf(tsa.intCertificate), bytesOf(tsa.rootCertificate)]),
      ],
    },
    /** As `cosign signing-config create` writes one. Rekor 1 is told without a time stamp authority. */
    signingConfig: (version: 1 | 2 = 1) => ({
      mediaType: 'application/vnd.dev.sigstore.signingconfig.v0.2+json',
      caUrls: [serviceOf(urls.fulcio)],
      oidcUrls: [serviceOf(urls.issuer)],
      rekorTlogUrls: [version === 1 ? serviceOf(urls.rekor) : serviceOf(urls.rekor2, 2)],
      rekorTlogConfig: { selector: 'ANY' },
      ...(version === 2 && {
        tsaUrls: [serviceOf(`${urls.tsa}/api/v1/timestamp`)],
        tsaConfig: { selector: 'ANY' },
      }),
    }),
    token,
    /** Variables of a job of GitHub Actions that may ask for tokens. */
    github: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${urls.issuer}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    },
    /** What all of them take for now; the clock itself, if left out. */
    setTime(time?: Date): void {
      fixed = time
      tick()
    },
    certificate: issue,
    /** What Rekor 1 answers to the body of a request. */
    entry: async (body: string) => String((await logs.rekor.answer(body)).body),
    /** A Sigstore bundle v0.3 around these bytes, in one line, made here without what is tested. */
    async sign(payload: Uint8Array, how: SignedBy = {}): Promise<string> {
      tick()
      const { claims = {}, version = 1, stamped = version === 2, payloadType } = how
      const type = payloadType ?? 'application/vnd.in-toto+json'
      const { privateKey, publicKey } = keys()
      const spki = publicKey.export({ format: 'der', type: 'spki' })
      const leaf =
        how.certificate === undefined
          ? await certified(token(claims), publicKey, privateKey, certify)
          : await issue({ publicKey: spki, ...how.certificate })
      const sig = sign('sha256', preAuthEncoding(payload, type), privateKey)
      const envelope = {
        payload: base64(payload),
        payloadType: type,
        signatures: [{ sig: base64(sig), keyid: '' }],
      }
      const entry =
        version === 1 ? await logs.rekor.entryFor(envelope, leaf) : logs.rekor2.entryFor(envelope, leaf)
      const request = { artifactHash: hash('sha256', sig, 'base64'), hashAlgorithm: 'sha256' }
      const stamps = stamped ? [{ signedTimestamp: base64((await stamp(JSON.stringify(request))).body) }] : []
      return JSON.stringify({
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: {
          certificate: { rawBytes: base64(leaf) },
          tlogEntries: [entry],
          timestampVerificationData: { rfc3161Timestamps: stamps },
        },
        dsseEnvelope: envelope,
      })
    },
    async close(): Promise<void> {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
    },
  })
}

interface Reply {
  readonly status: number
  readonly type?: string | undefined
  readonly body: string | Buffer
}

type Answer = (asked: AskedSigstore) => Reply | Promise<Reply>
type Listen = (answer: Answer) => Promise<string>

interface MockCA {
  readonly crypto: webcrypto.Crypto
  readonly keyPair: webcrypto.CryptoKeyPair
  readonly root: { readonly subject: string }
}

interface EnvelopeJson {
  readonly payload: string
  readonly payloadType: string
  readonly signatures: readonly { readonly sig: string; readonly keyid?: string }[]
}

interface Logged {
  readonly body: string
  readonly integratedTime: number
  readonly logID: string
  readonly logIndex: number
  readonly verification: {
    readonly inclusionProof: { readonly checkpoint: string; readonly rootHash: string }
    readonly signedEntryTimestamp: string
  }
}

/** Rekor 1: an entry with a promise, and the proof for a log of one entry. */
async function startLog1(listen: Listen, keys: ReturnType<typeof generateKeyPairSync>, clock: Date) {
  const entryOf = (envelope: EnvelopeJson, text: string, verifier: string) => ({
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      envelopeHash: { algorithm: 'sha256', value: hash('sha256', text, 'hex') },
      payloadHash: {
        algorithm: 'sha256',
        value: hash('sha256', Buffer.from(envelope.payload, 'base64'), 'hex'),
      },
      signatures: [{ signature: envelope.signatures[0]?.sig ?? '', verifier }],
    },
  })
  const answer = async (body: string): Promise<Reply> => {
    const { kind, spec } = JSON.parse(body)
    if (kind !== 'dsse') return refusal(400, `no entries of kind ${kind}`)
    const { envelope, verifiers } = spec.proposedContent
    return ok(201, await log.log(entryOf(JSON.parse(envelope), envelope, verifiers[0])))
  }
  const url = await listen(({ body }) => answer(body))
  const log = await initializeTLog(url, keys as never, clock)
  return {
    url,
    answer,
    authority: logOf(url, keys.publicKey as KeyObject),
    async entryFor(envelope: EnvelopeJson, leaf: Uint8Array) {
      const made = await log.log(entryOf(envelope, JSON.stringify(envelope), base64(Buffer.from(pem(leaf)))))
      const { body, integratedTime, logID, logIndex, verification } = Object.values(made)[0] as Logged
      const { inclusionProof: proof, signedEntryTimestamp } = verification
      return {
        logIndex: String(logIndex),
        logId: { keyId: Buffer.from(logID, 'hex').toString('base64') },
        kindVersion: { kind: 'dsse', version: '0.0.1' },
        integratedTime: String(integratedTime),
        inclusionPromise: { signedEntryTimestamp },
        inclusionProof: {
          logIndex: '0',
          rootHash: Buffer.from(proof.rootHash, 'hex').toString('base64'),
          treeSize: '1',
          hashes: [],
          checkpoint: { envelope: proof.checkpoint },
        },
        canonicalizedBody: body,
      }
    },
  }
}

/** Rekor 2: no promise and no time, and the proof for a log of one entry, whose checkpoint an Ed25519 key has signed. */
async function startLog2(listen: Listen) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const url = await listen(({ body }) => {
    const { dsseRequestV002: wanted } = JSON.parse(body)
    if (wanted === undefined) return refusal(400, 'no request for an entry of kind dsse')
    return ok(
      201,
      entryFor(wanted.envelope, Buffer.from(wanted.verifiers[0].x509Certificate.rawBytes, 'base64')),
    )
  })
  const origin = new URL(url).host
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const id = createHash('sha256').update(`${origin}\n\x01`).update(raw).digest()
  const entryFor = ({ payload, signatures }: EnvelopeJson, leaf: Uint8Array) => {
    const verifier = { keyDetails: 'PKIX_ECDSA_P256_SHA_256', x509Certificate: { rawBytes: base64(leaf) } }
    // Members in the order of their names: so it is canonical.
    const body = JSON.stringify({
      apiVersion: '0.0.2',
      kind: 'dsse',
      spec: {
        dsseV002: {
          payloadHash: {
            algorithm: 'SHA2_256',
            digest: hash('sha256', Buffer.from(payload, 'base64'), 'base64'),
          },
          signatures: [{ content: signatures[0]?.sig ?? '', verifier }],
        },
      },
    })
    const rootHash = createHash('sha256')
      .update(Buffer.from([0]))
      .update(body)
      .digest('base64')
    const note = `${origin}\n1\n${rootHash}\n`
    const signature = Buffer.concat([id.subarray(0, 4), sign(null, Buffer.from(note), privateKey)])
    return {
      logIndex: '0',
      logId: { keyId: base64(id) },
      kindVersion: { kind: 'dsse', version: '0.0.2' },
      inclusionProof: {
        logIndex: '0',
        rootHash,
        treeSize: '1',
        hashes: [],
        checkpoint: { envelope: `${note}\n\u2014 ${origin} ${base64(signature)}\n` },
      },
      canonicalizedBody: base64(Buffer.from(body)),
    }
  }
  return {
    url,
    entryFor,
    authority: { ...logOf(url, publicKey, 'PKIX_ED25519'), logId: { keyId: base64(id) } },
  }
}

async function certified(
  token: string,
  publicKey: KeyObject,
  privateKey: KeyObject,
  certify: (body: string) => Promise<Reply>,
): Promise<Buffer> {
  const { email, sub } = claimsOf(token) as { readonly email?: string; readonly sub: string }
  const body = JSON.stringify({
    credentials: { oidcIdentityToken: token },
    publicKeyRequest: {
      publicKey: { algorithm: 'ECDSA', content: publicKey.export({ format: 'pem', type: 'spki' }) },
      proofOfPossession: base64(sign('sha256', Buffer.from(email ?? sub), privateKey)),
    },
  })
  const { status, body: answer } = await certify(body)
  if (status !== 201) throw new Error(`no certificate: ${answer}`)
  const [first] = JSON.parse(String(answer)).signedCertificateEmbeddedSct.chain.certificates
  return Buffer.from(first.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64')
}

/** As Fulcio reads the claims: a person's address, the file of a workflow, else the subject. */
function subjectsOf(claims: Claims): readonly Subject[] {
  const { email, job_workflow_ref: file, ci_config_ref_uri: config, sub } = claims as Record<string, string>
  if (email !== undefined) return [{ type: 'email', value: email }]
  if (file !== undefined) return [{ type: 'url', value: `https://github.com/${file}` }]
  return [{ type: 'url', value: config === undefined ? String(sub) : `https://${config}` }]
}

function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

async function readAll(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', url = '', headers } = request
  return { method, url, headers, body: Buffer.concat(chunks).toString() }
}

function reply({
  statusCode,
  response,
  contentType,
}: Awaited<ReturnType<ReturnType<typeof tsaHandler>['fn']>>): Reply {
  return {
    status: statusCode,
    type: contentType,
    body: typeof response === 'string' ? response : bytesOf(response),
  }
}

function ok(status: number, body: unknown): Reply {
  return { status, body: JSON.stringify(body) }
}

/** As the services of Sigstore refuse. */
function refusal(status: number, message: string): Reply {
  return { status, body: JSON.stringify({ code: 3, message }) }
}

function serviceOf(url: string, majorApiVersion = 1) {
  return { url, majorApiVersion, validFor: SINCE, operator: 'rlp.test' }
}

function logOf(baseUrl: string, key: KeyObject, keyDetails = 'PKIX_ECDSA_P256_SHA_256') {
  const spki = key.export({ format: 'der', type: 'spki' })
  return {
    baseUrl,
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: base64(spki), keyDetails, validFor: SINCE },
    logId: { keyId: hash('sha256', spki, 'base64') },
  }
}

function authorityOf(commonName: string, uri: string, chain: readonly Uint8Array[]) {
  return {
    subject: { organization: 'sigstore.mock', commonName },
    uri,
    certChain: { certificates: chain.map(bytes => ({ rawBytes: base64(bytes) })) },
    validFor: SINCE,
  }
}

function utf8String(text: Buffer): Buffer {
  const length = text.length < 128 ? [text.length] : [0x82, text.length >> 8, text.length & 0xff]
  return Buffer.concat([Buffer.from([0x0c, ...length]), text])
}

function pem(der: Uint8Array): string {
  return `-----BEGIN CERTIFICATE-----\n${base64(der)}\n-----END CERTIFICATE-----\n`
}

function bytesOf(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength)
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

function base64(bytes: Uint8Array | string): string {
  return Buffer.from(bytes as Uint8Array).toString('base64')
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
