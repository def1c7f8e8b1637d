// The texts of a tool in which a rule looks for placeholders, each with its place.
import { readUrl } from '../../format/capability/host.ts'
import { transportKind } from '../../format/transports/index.ts'
import type { TemplateText } from '../../format/transports/kind.ts'
import type { Tool } from '../../model/tools.ts'

/** A url with an unreadable host is left out: another rule reports it. */
export function templateTexts({ transport }: Tool): TemplateText[] {
  return transportKind(transport)
    .templates(transport)
    .filter(({ where, text }) => where !== 'url' || !('problem' in readUrl(text)))
}
