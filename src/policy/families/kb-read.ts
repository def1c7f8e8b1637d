// kb_read: domains of the knowledge base, to read.
import type { CapabilityFamily } from './family.ts'
import { knowledge } from './knowledge.ts'

export const kbRead: CapabilityFamily<'kb_read'> = {
  family: 'kb_read',
  member: 'kbRead',
  ...knowledge('kb_read', 'kbRead', 'read'),
}
