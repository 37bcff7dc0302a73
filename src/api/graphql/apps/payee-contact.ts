/** How a payer reaches the merchant that was paid. */
import type { App } from '../../../../prisma/client.ts';
import { builder } from '../server/builder.ts';

export type PayeeContact = Pick<App, 'supportEmail' | 'supportUrl' | 'websiteUrl'>;

/** The columns of an app that `PayeeContactRef` shows. */
export const shownContact = { supportEmail: true, supportUrl: true, websiteUrl: true } as const;

export const PayeeContactRef = builder.objectRef<PayeeContact>('PayeeContact').implement({
  description: 'Contact details that the payee has published for payers.',
  fields: (t) => ({
    supportEmail: t.exposeString('supportEmail', {
      nullable: true,
      description: 'The email address for questions about payments. Null if none was set.',
    }),
    supportUrl: t.expose('supportUrl', {
      type: 'URL',
      nullable: true,
      description: 'The page for help and contact. Null if none was set.',
    }),
    websiteUrl: t.expose('websiteUrl', {
      type: 'URL',
      nullable: true,
      description: "The payee's website. Null if none was set.",
    }),
  }),
});
