// A registry for what Debian's lacks: the referrers API, bearer tokens, and answers that no honest registry gives. On loopback alone.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
}

/** Answers in the registry's place, and says so; false leaves the answer to it. */
export type Meddle = (
  request: IncomingMessage,
  response: ServerResponse,
  self: FakeRegistry,
) => boolean | Promise<boolean>

export interface FakeOptions {
  /** Has the referrers API. */
  readonly referrers?: boolean
  /** Reads the tag `sha256-<hex>` as the digest, once a manifest has it, as GitLab's registry does. What was stored under the tag is not found then. */
  readonly tagIsDigest?: boolean
  /** Answers 405 to every DELETE, as most registries do until their operator allows it. */
  readonly keepsAll?: boolean
  /** Wants a bearer token for `user:password`. */
  readonly login?: string
  /** Smaller than what it is sent, to break uploads into pieces. */
  readonly meddle?: Meddle
}

interface Stored {
  readonly bytes: Buffer
  readonly type: string
}

export const sha256 = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export class FakeRegistry {
  readonly blobs = new Map<string, Buffer>()
  readonly manifests = new Map<string, Stored>()
  readonly tags = new Map<string, string>()
  readonly asked: Asked[] = []
  /** What `_catalog` lists, in this order; undefined for a registry without it. */
  repositories: readonly string[] | undefined
  /** The most repositories of a page, whatever a client asks for. */
  page = 1000
  /** Bytes of bodies that came. */
  received = 0
  token = `token-${randomUUID()}`
  meddle: Meddle | undefined
  readonly #uploads = new Map<string, Buffer>()
  readonly #options: FakeOptions
  readonly #server: Server

  constructor(options: FakeOptions = {}) {
    this.#options = options
    this.meddle = options.meddle
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(error => response.destroy(error))
    })
  }

  async start(): Promise<this> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get host(): string {
    return `127.0.0.1:${this.port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  put(bytes: Uint8Array, type: string, tag?: string): string {
    const digest = sha256(bytes)
    this.manifests.set(digest, { bytes: Buffer.from(bytes), type })
    if (tag !== undefined) this.tags.set(tag, digest)
    return digest
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { method = '', url = '', headers } = request
    this.asked.push({ method, url, authorization: headers.authorization })
    if ((await this.meddle?.(request, response, this)) === true) return true
    const to = new URL(url, `http://${this.host}`)
    if (to.pathname === '/token') return this.#giveToken(request, response)
    const { login } = this.#options
    if (login !== undefined && headers.authorization !== `Bearer ${this.token}`) {
      const realm = `http://${this.host}/token`
      response.setHeader(
        'www-authenticate',
        `Bearer realm="${realm}",service="fake",scope="repository:evil:*"`,
      )
      return say(response, 401, '{"errors":[{"code":"UNAUTHORIZED"}]}')
    }
    const [, what = '', rest = ''] =
      /^\/v2\/.+?\/(manifests|blobs\/uploads|blobs|tags|referrers)\/(.*)$/.exec(to.pathname) ?? []
    const body = await read(request)
    this.received += body.length
    if (to.pathname === '/v2/') return say(response, 200, '{}')
    if (to.pathname === '/v2/_catalog' && this.repositories !== undefined)
      return this.#catalog(this.repositories, to.searchParams, response)
    if (what === 'manifests') return this.#manifest(method, rest, body, headers, response)
    if (what === 'blobs/uploads') return this.#upload(method, rest, to, body, headers, response)
    if (what === 'blobs') return this.#blob(rest, headers.range, method, response)
    if (what === 'tags') return say(response, 200, JSON.stringify({ name: 'x', tags: [...this.tags.keys()] }))
    if (what === 'referrers' && this.#options.referrers === true) return this.#referrers(rest, response)
    return say(response, 404, '404 page not found', 'text/plain')
  }

  #catalog(all: readonly string[], asked: URLSearchParams, response: ServerResponse): boolean {
    const from = asked.has('last') ? all.indexOf(asked.get('last') ?? '') + 1 : 0
    const count = Math.min(Number(asked.get('n') ?? this.page), this.page)
    const repositories = all.slice(from, from + count)
    const last = encodeURIComponent(repositories.at(-1) ?? '')
    if (from + count < all.length)
      response.setHeader('link', `</v2/_catalog?n=${count}&last=${last}>; rel="next"`)
    return say(response, 200, JSON.stringify({ repositories }))
  }

  #giveToken(request: IncomingMessage, response: ServerResponse): boolean {
    const wanted = `Basic ${Buffer.from(this.#options.login ?? '').toString('base64')}`
    if (request.headers.authorization !== wanted) return say(response, 401, '{}')
    return say(response, 200, JSON.stringify({ token: this.token, expires_in: 300 }))
  }

  #manifest(
    method: string,
    which: string,
    body: Buffer,
    headers: IncomingMessage['headers'],
    response: ServerResponse,
  ): boolean {
    if (method === 'PUT') {
      const digest = this.put(
        body,
        headers['content-type'] ?? '',
        which.startsWith('sha256:') ? undefined : which,
      )
      const subject = (JSON.parse(body.toString()) as { subject?: { digest: string } }).subject?.digest
      if (subject !== undefined && this.#options.referrers === true)
        response.setHeader('oci-subject', subject)
      response.setHeader('location', `/v2/x/manifests/${digest}`)
      return say(response, 201, '')
    }
    if (method === 'DELETE') {
      if (this.#options.keepsAll === true) return say(response, 405, '{"errors":[{"code":"UNSUPPORTED"}]}')
      if (!this.manifests.delete(which)) return say(response, 404, '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
      for (const [tag, digest] of this.tags) if (digest === which) this.tags.delete(tag)
      return say(response, 202, '')
    }
    const digest = which.replace('sha256-', 'sha256:')
    const isDigest = this.#options.tagIsDigest === true && this.manifests.has(digest)
    const found = this.manifests.get(isDigest ? digest : (this.tags.get(which) ?? which))
    if (found === undefined) return say(response, 404, '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
    return say(response, 200, found.bytes, found.type)
  }

  #blob(digest: string, range: string | undefined, method: string, response: ServerResponse): boolean {
    const found = this.blobs.get(digest)
    if (found === undefined) return say(response, 404, '{"errors":[{"code":"BLOB_UNKNOWN"}]}')
    if (method === 'HEAD') {
      response.setHeader('content-length', found.length)
      response.writeHead(200).end()
      return true
    }
    const [, first, last] = /^bytes=([0-9]+)-([0-9]*)$/.exec(range ?? '') ?? []
    if (first === undefined) return say(response, 200, found, 'application/octet-stream')
    const end = last === '' || last === undefined ? found.length - 1 : Number(last)
    response.setHeader('content-range', `bytes ${first}-${end}/${found.length}`)
    return say(response, 206, found.subarray(Number(first), end + 1), 'application/octet-stream')
  }

  #upload(
    method: string,
    id: string,
    to: URL,
    body: Buffer,
    headers: IncomingMessage['headers'],
    response: ServerResponse,
  ): boolean {
    const place = (name: string) => {
      const had = this.#uploads.get(name)?.length ?? 0
      // Relative, with a query that has to survive.
      response.setHeader('location', `/v2/x/blobs/uploads/${name}?_state=a%20b~${had}`)
      response.setHeader('range', `0-${Math.max(0, had - 1)}`)
    }
    if (method === 'POST') {
      const name = randomUUID()
      this.#uploads.set(name, Buffer.alloc(0))
      place(name)
      return say(response, 202, '')
    }
    const had = this.#uploads.get(id)
    if (had === undefined || !to.search.startsWith('?_state=a%20b~'))
      return say(response, 404, '{"errors":[{"code":"BLOB_UPLOAD_UNKNOWN"}]}')
    if (method === 'GET') {
      place(id)
      return say(response, 204, '')
    }
    const [, from] = /^([0-9]+)-/.exec(headers['content-range'] ?? '') ?? []
    if (from !== undefined && Number(from) !== had.length) return say(response, 416, '')
    const now = Buffer.concat([had, body])
    this.#uploads.set(id, now)
    if (method === 'PATCH') {
      place(id)
      return say(response, 202, '')
    }
    const digest = to.searchParams.get('digest') ?? ''
    if (sha256(now) !== digest) return say(response, 400, '{"errors":[{"code":"DIGEST_INVALID"}]}')
    this.blobs.set(digest, now)
    this.#uploads.delete(id)
    return say(response, 201, '')
  }

  /** Puts bytes into an open upload, as a connection that broke in its middle does. */
  keep(url: string, bytes: Uint8Array): void {
    const id = /uploads\/([^?]+)/.exec(url)?.[1] ?? ''
    this.#uploads.set(id, Buffer.concat([this.#uploads.get(id) ?? Buffer.alloc(0), bytes]))
  }

  #referrers(digest: string, response: ServerResponse): boolean {
    const manifests = [...this.manifests].flatMap(([name, { bytes, type }]) => {
      const subject = (JSON.parse(bytes.toString()) as { subject?: { digest?: string } }).subject?.digest
      return subject === digest ? [{ mediaType: type, digest: name, size: bytes.length }] : []
    })
    const mediaType = 'application/vnd.oci.image.index.v1+json'
    return say(response, 200, JSON.stringify({ schemaVersion: 2, mediaType, manifests }), mediaType)
  }
}

/** @returns true: it is answered */
export function say(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  type = 'application/json',
): boolean {
  const bytes = Buffer.from(body as string)
  response.writeHead(status, {
    'content-type': type,
    ...(status !== 204 && { 'content-length': bytes.length }),
  })
  response.end(status === 204 ? undefined : bytes)
  return true
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
