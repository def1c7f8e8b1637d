// Ids of secrets: the usual form, and the environment variable of each (docs/running.md, "Secrets").

/** `runloop/<scope>/<name>`, as in the policy document. */
const USUAL = /^runloop\/[a-z0-9_-]+\/[a-z0-9_-]+$/

/** Grants of `x-rlp.env` names. */
const ENV_GRANT = /^env\/[A-Z_][A-Z0-9_]*$/

/** Other ids are used in real bundles, and they work. */
export function isUsualSecretId(id: string): boolean {
  return USUAL.test(id) || ENV_GRANT.test(id)
}

/**
 * The variable that passes a secret to a program and that is looked up on the host: `runloop/mail/smtp_api_key` is
 * `RUNLOOP_MAIL_SMTP_API_KEY`. Two ids can have one variable.
 */
export function secretEnvName(id: string): string {
  return id.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()
}
