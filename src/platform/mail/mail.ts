/** Mail over SMTP. In development, without a server, it is written to the log instead. */
import { createTransport } from 'nodemailer';
import { ConfigError } from '../../config/config-error.ts';
import type { Log } from '../log.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The name of the sender; the address is the installation's. */
  fromName?: string;
  replyTo?: string | undefined;
  /** With angle brackets. Mailboxes merge mails with the same one. */
  messageId?: string;
  /** A POST to it unsubscribes the recipient (RFC 8058). */
  unsubscribeUrl?: string;
};
export type Mailer = {
  /** Resolves once the server has accepted the mail. */
  send(mail: Mail): Promise<void>;
  close(): void;
};

const TIMEOUT_MS = 15_000;

/** Sending throws ConfigError in production without SMTP_URL. */
export function openMailer(options: {
  smtpUrl: string | undefined;
  from: string;
  isProduction: boolean;
  log: Log;
}): Mailer {
  const { smtpUrl, from, log } = options;
  if (smtpUrl === undefined) {
    return {
      async send({ to, subject, text }) {
        if (options.isProduction) throw new ConfigError('SMTP_URL: is needed to send mail');
        log.info({ to, subject, text }, 'An email was not sent, because SMTP_URL is not set.');
      },
      close() {},
    };
  }
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    async send({ fromName, unsubscribeUrl, ...mail }) {
      await transport.sendMail({
        ...mail,
        from: fromName === undefined ? from : { name: fromName, address: addressOf(from) },
        ...(unsubscribeUrl === undefined
          ? {}
          : {
              headers: {
                'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
                'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
              },
            }),
      });
    },
    close: () => transport.close(),
  };
}

/** "a@b.c" of "Name <a@b.c>". */
function addressOf(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
}

/** Whether the server has refused this recipient or this mail permanently. A refused login concerns all mails and may be repaired. */
export function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, command, responseCode } = error as Error & Record<string, unknown>;
  // A refused sender concerns all mails as well.
  if ((code !== 'EENVELOPE' && code !== 'EMESSAGE') || command === 'MAIL FROM') return false;
  return responseCode === undefined ? command === 'API' : Number(responseCode) >= 500 && Number(responseCode) < 600;
}

/** Whether the server has responded to this mail, rather than being out of reach or refusing every mail. */
export function hasResponded(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, command, responseCode } = error as Error & Record<string, unknown>;
  if (command === 'MAIL FROM' || code === 'EAUTH') return false;
  return responseCode !== undefined || command === 'API';
}

/** Escapes text for use in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
