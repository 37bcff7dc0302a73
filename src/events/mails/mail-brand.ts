import type { App, MailSettings } from '../../../prisma/client.ts';
import { imageAddress } from '../../auth/tokens/image-address.ts';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import type { MailBrand } from './print-mail.ts';

type BrandWorld = { secretKeys: Pick<SecretKeys, 'images'>; config: { publicUrl: string } };
type Branded = Pick<App, 'name' | 'accentColor' | 'logoUrl' | 'receiptMessage' | 'footerText'> & {
  mailSettings: Pick<MailSettings, 'fromName'> | null;
};

/** The installation's own look, for mails that belong to no app. */
export const ownBrand: MailBrand = {
  name: 'Sluice',
  accentColor: null,
  logoUrl: null,
  receiptMessage: null,
  footerText: null,
};

/** The logo is loaded through this installation, so that the merchant's host does not learn who opens a mail. */
export function brandOf(world: BrandWorld, app: Branded): MailBrand {
  const path = imageAddress(world.secretKeys, app.logoUrl);
  return {
    name: app.mailSettings?.fromName ?? app.name,
    accentColor: app.accentColor,
    receiptMessage: app.receiptMessage,
    footerText: app.footerText,
    logoUrl: path === null ? null : `${world.config.publicUrl}${path}`,
  };
}
