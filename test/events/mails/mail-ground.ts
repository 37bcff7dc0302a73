/** A gateway with a real mail server, and the pages behind the links in its mails. */
import { createServer } from 'node:http';
import { transaction } from '../../../prisma/client.ts';
import type { AddressGate } from '../../../src/api/gate.ts';
import { serveRenewal } from '../../../src/api/renewals/serve-renewal.ts';
import { serveInvoice } from '../../../src/api/serve-invoice.ts';
import { serveUnsubscribe } from '../../../src/api/serve-unsubscribe.ts';
import { appendEvents } from '../../../src/events/append-events.ts';
import { type MemberMailKind, payerMailKinds } from '../../../src/events/mails/mail-kind.ts';
import { updateMailSettings } from '../../../src/events/mails/update-mail-settings.ts';
import { updateNotifications } from '../../../src/events/mails/update-notifications.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openMailbox } from '../../setup/mail/mailbox.ts';
import { readMail } from '../../setup/mail/read-mail.ts';
import { onTeardown } from '../../setup/teardown.ts';
import { openRenewals } from '../../subscriptions/renewal-ground.ts';

export async function openMails() {
  const mailbox = await openMailbox();
  const ground = await openRenewals({ smtpUrl: mailbox.url });
  const gate: AddressGate = { admitAddress: async () => ({ address: '127.0.0.1', refusal: undefined }) };
  const world = ground.action as unknown as Parameters<typeof serveInvoice>[0];
  const renewals = ground.action as unknown as Parameters<typeof serveRenewal>[0];
  const handlers = [serveInvoice(world, gate), serveRenewal(renewals, gate), serveUnsubscribe(world, gate)];
  const server = createServer(async (request, response) => {
    for (const handle of handlers) if (await handle(request, response)) return;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTeardown(async () => void server.close());
  const address = server.address();
  const pagesUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

  /** Finishes the work of earlier tests. */
  const forget = async () => {
    await ground.forget();
    ground.setPrices('');
    await ground.allow(ground.evm.payers[0]);
    await ground.settleDown();
    await ground.database.mail.deleteMany();
    await ground.database.memberNotifications.deleteMany();
    await ground.database.mailSettings.deleteMany();
    mailbox.mails.length = 0;
    mailbox.refused.clear();
    mailbox.onMail(null);
  };

  const appScope = () => ({ merchantId: ground.scope.merchantId, appId: ground.app.id });
  const switchOn = (settings: Partial<Parameters<typeof updateMailSettings>[1]['settings']> = {}) =>
    updateMailSettings(ground, { scope: appScope(), settings: { kinds: [...payerMailKinds], ...settings } });
  const mailsTo = (address: string) =>
    mailbox.mails.filter(({ to }) => to.includes(address)).map(({ text }) => readMail(text));
  const here = (url: string) => url.replace('http://localhost:4000', pagesUrl);

  let counter = 0;
  async function customer(fields: { locale?: string; name?: string } = {}) {
    counter += 1;
    const email = `payer-${counter}@example.com`;
    const { id } = await ground.database.customerAccount.create({
      data: { id: newId(), appId: ground.app.id, email, name: 'Ada', ...fields },
    });
    return { id, email };
  }

  async function member(
    kinds: MemberMailKind[],
    fields: { role?: 'OWNER' | 'VIEWER'; isOperator?: boolean; language?: 'en' | 'de' } = {},
  ) {
    counter += 1;
    const email = `member-${counter}@example.com`;
    const { role = 'OWNER', isOperator = false, language = 'en' } = fields;
    const { id } = await ground.database.member.create({
      data: { id: newId(), merchantId: ground.scope.merchantId, email, role, joinedAt: ground.clock.now(), isOperator },
    });
    await updateNotifications(ground, { memberId: id, settings: { kinds, language } });
    return { id, email };
  }

  async function paid(customerAccountId: string | null) {
    const intent = await ground.intent({ customerAccountId });
    const signed = await ground.sign(intent);
    await ground.authorize(signed);
    await ground.settleDown();
    return intent;
  }

  /** Appends an event that needs no chain. */
  async function disabled(times = 1) {
    await transaction(ground.database, (tx) =>
      appendEvents(
        tx,
        ground.app.id,
        Array.from({ length: times }, () => ({
          type: 'webhook_endpoint.disabled' as const,
          resourceId: newId(),
          data: { url: 'https://example.com/hooks' },
        })),
      ),
    );
    await ground.settleDown();
  }

  return { ground, mailbox, pagesUrl, forget, switchOn, mailsTo, here, customer, member, paid, disabled };
}

export const later = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000);
