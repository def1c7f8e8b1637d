// transport.kind "http": one request to a fixed host (tool-attachments document, §2).

export interface HttpTransport {
  readonly kind: 'http'
  readonly method: string
  /** Absolute; `{{input.<path>}}` is allowed in path and query only. */
  readonly url: string
  /** Values may hold `{{input.<path>}}` and `{{secret:<id>}}`. */
  readonly headers: { readonly [name: string]: string }
}

export const http = {
  kind: 'http',
  summary: 'one HTTP request',
  /** From the JSON object of a tool that the schema has accepted. */
  read(json: Readonly<Record<string, unknown>>): HttpTransport {
    return {
      kind: 'http',
      method: json['method'] as string,
      url: json['url'] as string,
      headers: (json['headers'] as Record<string, string>) ?? {},
    }
  },
  /** Keys in the order in which `tools.json` is written. */
  write(transport: HttpTransport): Record<string, unknown> {
    return {
      kind: 'http',
      method: transport.method,
      url: transport.url,
      ...(Object.keys(transport.headers).length > 0 && { headers: transport.headers }),
    }
  },
} as const
