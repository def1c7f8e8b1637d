// The package's exports for Agent Tool: the records' types, fail-closed defaults and flags, the schema for a model, endings of calls, and
// the search for tools that are not loaded.
export type {
  DeferredTool,
  ExecutionProfile,
  InputMutation,
  Invocation,
  PermissionDecision,
  PermissionProfile,
  RecordData,
  ResultPersistence,
  SchedulerPolicy,
  ToolDeclaration,
  ToolEvent,
  ToolHook,
  ToolProgress,
  ToolResult,
  ToolSurface,
} from '../schema/generated/record-types.ts'
export {
  DEFAULTED,
  type DefaultedField,
  type DefaultedInterface,
  defaultOf,
  type ToolFacts,
  withDefaults,
} from './defaults.ts'
export { type Classify, type FlagState, flagState, settledFlag, statedFlag } from './flags.ts'
export { PARTITIONS, type Partition, type ToolInterface } from './interface-fields.ts'
export { type ModelSchema, type ModelSchemaOptions, modelSchema } from './model-schema.ts'
export { inputMutation } from './mutation.ts'
export {
  type Ending,
  ERROR_CLASSES,
  ERRORS_AT,
  type ErrorClass,
  endingOf,
  type Phase,
  terminalResult,
} from './pipeline.ts'
export type { RecordName } from './records.ts'
export { type SearchableTool, searchTools, type ToolSearchResult } from './tool-search.ts'
export {
  RECORD_VALIDATORS,
  type RecordProblem,
  type RecordValidation,
  type RecordValidator,
  recordKind,
  validateDeferredTool,
  validateEvent,
  validateExecutionProfile,
  validateHook,
  validateInputMutation,
  validateInvocation,
  validatePermissionDecision,
  validatePermissionProfile,
  validateProgress,
  validateRecord,
  validateResult,
  validateResultPersistence,
  validateSchedulerPolicy,
  validateToolDeclaration,
  validateToolInterface,
  validateToolSurface,
} from './validators.ts'
export { SAFETY_FLAGS, type SafetyFlag } from './vocabulary.ts'
