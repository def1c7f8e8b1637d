// A stranger's text → text inside an XML element or attribute.
import { own } from '../model/own.ts'
import { printable } from './printable.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** XML takes no control characters, not even as entities. */
export function xmlText(text: string): string {
  return printable(text).replace(/[&<>"]/g, found => own(ENTITIES, found) ?? found)
}
