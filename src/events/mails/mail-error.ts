/**
 * Why a mail has not been sent, as the API shows it. The response of a mail server can contain addresses and internals of its network, so
 * that it is only logged.
 */
import { hasResponded, isRefusedForGood } from '../../platform/mail/mail.ts';

const mailErrors = [
  'RECIPIENT_REJECTED',
  'MESSAGE_REJECTED',
  'TEMPORARILY_REJECTED',
  'SENDER_REJECTED',
  'SERVER_UNREACHABLE',
  'RECIPIENT_REMOVED',
  'UNSUBSCRIBED',
  'UNKNOWN',
] as const;
export type MailError = (typeof mailErrors)[number];

/** The reasons for which a queued mail is cancelled. */
export type MailCancellation = Extract<MailError, 'RECIPIENT_REMOVED' | 'UNSUBSCRIBED'>;

/** Reads a stored error. A version that stored the text of the mail server may still run during an upgrade. */
export function mailErrorOf(stored: string | null): MailError | null {
  return stored === null ? null : (mailErrors.find((known) => known === stored) ?? 'UNKNOWN');
}

/** Classifies what sending a mail has thrown. */
export function classifyMailError(error: unknown): MailError {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const { code, command } = error as Error & Record<string, unknown>;
  if (isRefusedForGood(error)) return code === 'EENVELOPE' ? 'RECIPIENT_REJECTED' : 'MESSAGE_REJECTED';
  if (code === 'EAUTH' || command === 'MAIL FROM') return 'SENDER_REJECTED';
  if (hasResponded(error)) return 'TEMPORARILY_REJECTED';
  return isConnectionFault(code) ? 'SERVER_UNREACHABLE' : 'UNKNOWN';
}

/** The codes that nodemailer gives to faults of the connection. */
function isConnectionFault(code: unknown): boolean {
  return ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'ETLS', 'EPROTOCOL', 'EPROXY'].some((known) => known === code);
}
