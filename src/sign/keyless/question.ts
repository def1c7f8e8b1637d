// What is asked of a service of Sigstore, or of a pipeline.
import type { Deadline } from '../../io/wait/deadline.ts'
import type { ServiceRequest } from '../../net/ask-service.ts'

/** What all questions about one signature share. */
export interface SigningExchange {
  /** In the grammar of messages: `sign "dist/mailer-0.1.0.agent.bundle"`. */
  readonly doing: string
  readonly deadline: Deadline
  readonly env: Readonly<Record<string, string | undefined>>
  /** In no message. */
  readonly secrets: readonly string[]
}

export interface ServiceQuestion extends Pick<ServiceRequest, 'method' | 'url' | 'mostBytes'> {
  /** Its name: `Fulcio`. */
  readonly service: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** What to do if it refuses. */
  readonly hint: string
  /** A status that is an answer too. */
  readonly takes?: number
}
