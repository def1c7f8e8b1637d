// The texts of a tool in which placeholders may stand (DESIGN §3.3), each with its place.
import { readUrl } from '../../format/capability/host.ts'
import type { Pointer } from '../../model/document.ts'
import type { Tool } from '../../model/tools.ts'

export interface TemplateText {
  readonly where: 'url' | 'header' | 'argument'
  readonly text: string
  /** From the tool's entry in tools.json. */
  readonly at: Pointer
}

/** A url whose host cannot be read is left out: it has a rule of its own. */
export function templateTexts({ transport }: Tool): TemplateText[] {
  if (transport.kind === 'exec') {
    return transport.args.map((text, index) => ({
      where: 'argument',
      text,
      at: ['transport', 'args', index],
    }))
  }
  const { url, headers } = transport
  const isRead = !('problem' in readUrl(url))
  return [
    ...(isRead ? [{ where: 'url' as const, text: url, at: ['transport', 'url'] }] : []),
    ...Object.entries(headers).map(([name, text]) => ({
      where: 'header' as const,
      text,
      at: ['transport', 'headers', name],
    })),
  ]
}
