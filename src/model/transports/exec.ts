// transport.kind "exec": a program on the host, started without a shell (tool-attachments document, §2).

export interface ExecTransport {
  readonly kind: 'exec'
  /** Absolute path of the program. */
  readonly command: string
  /** Extra arguments, after the path of the JSON file; order is kept. */
  readonly args: readonly string[]
}

export const exec = {
  kind: 'exec',
  summary: 'a program on the host',
  /** From the JSON object of a tool that the schema has accepted. */
  read(json: Readonly<Record<string, unknown>>): ExecTransport {
    return { kind: 'exec', command: json['command'] as string, args: (json['args'] as string[]) ?? [] }
  },
  /** Keys in the order in which `tools.json` is written. */
  write(transport: ExecTransport): Record<string, unknown> {
    return {
      kind: 'exec',
      command: transport.command,
      ...(transport.args.length > 0 && { args: transport.args }),
    }
  },
} as const
