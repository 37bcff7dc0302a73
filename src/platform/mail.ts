/** Mail over SMTP. In development, without a server, it is written to the log instead. */
import { createTransport } from 'nodemailer';
import { ConfigError } from '../config/config-error.ts';
import type { Log } from './log.ts';

export type Mail = { to: string; subject: string; text: string; html: string };
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
        log.info({ to, subject, text }, 'A mail, which would be sent with SMTP_URL.');
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
    async send(mail) {
      await transport.sendMail({ from, ...mail });
    },
    close: () => transport.close(),
  };
}

/** Escapes text for use in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
