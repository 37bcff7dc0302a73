/** The card API over REST, with a real worker that sends the queue's mails to a real SMTP server. */

import { mailInvitationJob } from '../../src/auth/members/jobs.ts';
import { mailInvitation } from '../../src/auth/members/mail-invitation.ts';
import { mailPasswordJob } from '../../src/auth/one-time-password/jobs.ts';
import { mailOneTimePassword } from '../../src/auth/one-time-password/mail-one-time-password.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMailer } from '../../src/platform/mail/mail.ts';
import { jobEntry, runQueue } from '../../src/platform/queue.ts';
import type { OpenApiOptions } from '../setup/api/api.ts';
import { openRestApi, type RestAnswer } from '../setup/api/rest.ts';
import { openMailbox } from '../setup/mail/mailbox.ts';
import { onTeardown } from '../setup/teardown.ts';

const WAIT_MS = 30_000;

export type CardGround = Awaited<ReturnType<typeof openCardGround>>;

export async function openCardGround(options: OpenApiOptions = {}) {
  const limits = { OTP_PER_NETWORK_HOUR: '1000', ...options.environment };
  const api = await openRestApi({ ...options, environment: limits });
  const mailbox = await openMailbox();
  const mailer = openMailer({
    smtpUrl: mailbox.url,
    from: 'Sluice <no-reply@example.com>',
    isProduction: true,
    log: silentLog,
  });
  const world = { ...api.world, mailer };
  const queue = await runQueue({
    url: api.databaseUrl,
    log: silentLog,
    concurrency: 2,
    jobs: new Map([
      jobEntry(mailPasswordJob, (payload) => mailOneTimePassword(world, payload)),
      jobEntry(mailInvitationJob, (payload) => mailInvitation(world, payload)),
    ]),
  });
  onTeardown(async () => {
    await queue.stop();
    mailer.close();
  });

  /** A call of the card API. `token` is sent as a bearer token. */
  const card = (method: string, path: string, call: { token?: string; body?: unknown } = {}): Promise<RestAnswer> =>
    api.rest(method, `/v1${path}`, {
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(call.token === undefined ? {} : { headers: { authorization: `Bearer ${call.token}` } }),
    });

  /** The newest code that was mailed to an address, once there are `count` of them. */
  const mailedCode = async (email: string, count = 1): Promise<string> => {
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const codes = mailbox.mails
        .filter((mail) => mail.to.includes(email.toLowerCase()))
        .flatMap((mail) => /^Subject: [^\n]*login code: (\d{6})/m.exec(mail.text)?.[1] ?? []);
      const code = codes.at(-1);
      if (code !== undefined && codes.length >= count) return code;
      if (Date.now() > until) throw new Error(`No code was mailed to ${email}.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  /** Requests a code, reads the mail, and logs in. */
  const logIn = async (email: string): Promise<{ accessToken: string; userId: string }> => {
    const asked = await card('POST', '/auth/otp/request', { body: { email } });
    if (asked.status !== 200) throw new Error(JSON.stringify(asked.body));
    const code = await mailedCode(email);
    const verified = await card('POST', '/auth/otp/verify', { body: { requestId: asked.body.requestId, code } });
    if (verified.status !== 200) throw new Error(JSON.stringify(verified.body));
    return { accessToken: verified.body.accessToken, userId: verified.body.user.id };
  };

  return { ...api, mails: mailbox.mails, card, mailedCode, logIn };
}

/** The claims of a token, unverified. */
export function claimsIn(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

/** A sign-in message as formatted by a wallet. */
export function signInMessage(fields: {
  origin: string;
  address: string;
  family?: string;
  reference: string;
  token: string;
  issuedAt?: Date;
  nonce?: string;
}): string {
  const nonce = fields.nonce ?? String(claimsIn(fields.token).jti).replaceAll('-', '');
  return [
    `${new URL(fields.origin).host} wants you to sign in with your ${fields.family ?? 'Ethereum'} account:`,
    fields.address,
    '',
    'Link this wallet.',
    '',
    `URI: ${fields.origin}`,
    'Version: 1',
    `Chain ID: ${fields.reference}`,
    `Nonce: ${nonce}`,
    `Issued At: ${(fields.issuedAt ?? new Date()).toISOString()}`,
  ].join('\n');
}
