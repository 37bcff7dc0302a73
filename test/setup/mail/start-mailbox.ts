import { SMTPServer } from 'smtp-server';

/** `text` is the raw mail. */
export type ReceivedMail = { to: string[]; text: string };
export type Mailbox = {
  url: string;
  mails: ReceivedMail[];
  /** Called before the server responds to a mail. If it returns a text, the server rejects the mail with this text. */
  onMail(decide: (() => Promise<string | null>) | null): void;
  /** Recipients that the server rejects permanently. */
  refused: Set<string>;
  close(): Promise<void>;
};

/** A real SMTP server on a free port that keeps the mails that it receives. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  let decide: (() => Promise<string | null>) | null = null;
  const refused = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      if (!refused.has(address)) return done();
      done(Object.assign(new Error('No such mailbox'), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += String(chunk);
      });
      stream.on('end', async () => {
        const refusal = decide === null ? null : await decide();
        if (refusal !== null) return done(Object.assign(new Error(refusal), { responseCode: 451 }));
        mails.push({ to: session.envelope.rcptTo.map((one) => one.address), text });
        done();
      });
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  const address = listening.address();
  return {
    url: `smtp://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    mails,
    refused,
    onMail: (next) => {
      decide = next;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
