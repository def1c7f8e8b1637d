// model: the language model of the agent.
import { switchOf } from './switch.ts'

export const model = switchOf('model', 'model', {
  may: 'may call its model',
  whole: 'calls its model',
  synonyms: 'llm ai models',
  secretPlace: 'model',
  imports: { runloop: ['model_complete'], wasi: undefined },
})
