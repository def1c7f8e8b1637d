// model: the language model of the agent.
import type { CapabilityFamily } from './family.ts'
import { switchOf } from './switch.ts'

export const model: CapabilityFamily<'model'> = {
  family: 'model',
  member: 'model',
  ...switchOf('model', 'model', { may: 'may call its model', whole: 'calls its model' }),
}
