// What every verb is made of. Kinds of inputs that need more than words are in kinds/.
export { type CommandRefusal, commandOf, type Showing } from './as-command.ts'
export {
  type AnyInput,
  type Asked,
  type At,
  type Input,
  type InputTable,
  needed,
  type Typed,
  typedOnly,
} from './input.ts'
export * from './kinds/words.ts'
export { defineVerb } from './verb.ts'
export type { World } from './world.ts'
