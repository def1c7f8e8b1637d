// kb_write: domains of the knowledge base, to write.
import type { CapabilityFamily } from './family.ts'
import { knowledge } from './knowledge.ts'

export const kbWrite: CapabilityFamily<'kb_write'> = {
  family: 'kb_write',
  member: 'kbWrite',
  ...knowledge('kb_write', 'kbWrite', 'write'),
}
