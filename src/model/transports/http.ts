// transport.kind "http": one request to a fixed host (tool-attachments document, §2). What the kind does is in src/tools/transports/http.ts.

export interface HttpTransport {
  readonly kind: 'http'
  readonly method: string
  /** Absolute; `{{input.<path>}}` is allowed in path and query only. */
  readonly url: string
  /** Values may hold `{{input.<path>}}` and `{{secret:<id>}}`. */
  readonly headers: { readonly [name: string]: string }
}

/** What a call does, as far as an upgrade is compared by it. */
export interface HttpAct {
  readonly kind: 'http'
  /** In capitals. */
  readonly method: string
  /** `https://host:port`, normalised. */
  readonly target: string
  /** Path and query as written. */
  readonly path: string
  /** Names in lower case, sorted, with their templates. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}
