/**
 * How the payer can contact the merchant: by email, on a support page, or on the website. Renders nothing if the merchant has set none of
 * them.
 */
import { useTranslation } from 'react-i18next';
import type { ShownContactFragment } from '../../../generated/web/documents.ts';
import styles from './refunds.module.css';

type PayeeContactProps = { contact: ShownContactFragment; payee: string; reference: string | null | undefined };

export function PayeeContact({ contact, payee, reference }: PayeeContactProps) {
  const { t } = useTranslation();
  const { supportEmail, supportUrl, websiteUrl } = contact;
  if (!supportEmail && !supportUrl && !websiteUrl) return null;
  const subject = reference ? t('refunds.contact.subject', { reference }) : '';
  const mail = `mailto:${supportEmail}${subject ? `?subject=${encodeURIComponent(subject)}` : ''}`;
  return (
    <section className={styles.contact} aria-label={t('refunds.contact.title', { name: payee })}>
      <h3 className={styles.title}>{t('refunds.contact.title', { name: payee })}</h3>
      <ul className={styles.ways}>
        {supportEmail && (
          <li>
            <a href={mail}>{supportEmail}</a>
          </li>
        )}
        {supportUrl && (
          <li>
            <Site url={supportUrl}>{t('refunds.contact.help')}</Site>
          </li>
        )}
        {websiteUrl && (
          <li>
            <Site url={websiteUrl}>{hostOf(websiteUrl)}</Site>
          </li>
        )}
      </ul>
    </section>
  );
}

function Site({ url, children }: { url: string; children: string }) {
  return (
    <a href={url} className={styles.site} data-paper={paperText(url)} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

/** Not with URL.parse, which Safari has only since version 18. */
function hostOf(url: string): string {
  try {
    return new URL(url).host.replace(/^www\./, '');
  } catch {
    return url;
  }
}

/** Links cannot be followed on paper, so the URL is printed without the parts that readers would not type. */
function paperText(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
