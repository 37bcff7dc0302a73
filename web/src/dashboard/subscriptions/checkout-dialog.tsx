/** Creates the link with which a customer starts a subscription, or replaces the consent of an active one. */
import { useTranslation } from 'react-i18next';
import { SubscriptionCheckoutDocument } from '../../../../generated/web/documents.ts';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Note } from '../../ui/state/note.tsx';
import { Time } from '../../ui/state/time.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import styles from './subscriptions.module.css';

type CheckoutDialogProps = {
  id: string;
  email: string | null | undefined;
  purpose?: 'START' | 'RENEW_CONSENT';
  onClose: () => void;
};

export function CheckoutDialog({ id, email, purpose = 'START', onClose }: CheckoutDialogProps) {
  const { t } = useTranslation();
  const isRenewal = purpose === 'RENEW_CONSENT';
  const title = t(isRenewal ? 'subscriptions.renewConsent' : 'subscriptions.checkout');
  const checkout = useApiMutation(SubscriptionCheckoutDocument, { changes: [] });
  const session = checkout.data?.createSubscriptionCheckout;
  if (!session) {
    return (
      <FormDialog
        title={title}
        about={t(isRenewal ? 'subscriptions.renewConsentAbout' : 'subscriptions.checkoutAbout')}
        action={t('subscriptions.checkoutAction')}
        onClose={onClose}
        onSend={() => checkout.mutate({ id, input: isRenewal ? { purpose } : {} })}
        isBusy={checkout.isPending}
        error={checkout.error}
      />
    );
  }
  const subject = encodeURIComponent(t('subscriptions.mailSubject'));
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <Note tone="wait" title={t('subscriptions.checkoutOnce')}>
        {t('subscriptions.checkoutExpires')} <Time at={session.expiresAt} />
      </Note>
      <p className={styles.url}>
        <code>{session.url}</code>
      </p>
      <div className={styles.inline}>
        <CopyButton text={session.url} name={t('links.url')} hasWords />
        {email && (
          <a href={`mailto:${encodeURIComponent(email)}?subject=${subject}&body=${encodeURIComponent(session.url)}`}>
            {t('subscriptions.mail', { email })}
          </a>
        )}
      </div>
    </Dialog>
  );
}
