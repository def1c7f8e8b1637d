// Ids of secrets: the usual form, and the environment variable that stands for one (systems reference §3, "Secrets").

/** `runloop/<scope>/<name>`, as the policy document writes ids. */
const USUAL = /^runloop\/[a-z0-9_-]+\/[a-z0-9_-]+$/

/** Grants of `x-rlp.env` names (DESIGN §3.4). */
const ENV_GRANT = /^env\/[A-Z_][A-Z0-9_]*$/

/** Real bundles have other ids too, and they work (systems reference §3c no. 11). */
export function isUsualSecretId(id: string): boolean {
  return USUAL.test(id) || ENV_GRANT.test(id)
}

/**
 * The variable in which a secret reaches a program, and is looked up on the host where none has the id itself for its name:
 * `runloop/mail/smtp_api_key` is `RUNLOOP_MAIL_SMTP_API_KEY`. Two ids can have one variable.
 */
export function secretEnvName(id: string): string {
  return id.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()
}
