/** The actions that a subscription allows in its current state, with their effects. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  SubscriptionCancelDocument,
  type SubscriptionFactsFragment,
  SubscriptionPauseDocument,
  SubscriptionRemoveCouponDocument,
  SubscriptionResumeDocument,
} from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Menu, type MenuEntry } from '../../ui/overlays/menu.tsx';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { CheckoutDialog } from './checkout-dialog.tsx';
import { CouponDialog } from './coupon-dialog.tsx';

type Doing =
  | 'pause'
  | 'resume'
  | 'cancelNow'
  | 'cancelLater'
  | 'changePlan'
  | 'checkout'
  | 'renewConsent'
  | 'applyCoupon'
  | 'removeCoupon';

export function SubscriptionActions({ subscription }: { subscription: SubscriptionFactsFragment }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [doing, setDoing] = useState<Doing>();
  const pause = useApiMutation(SubscriptionPauseDocument);
  const resume = useApiMutation(SubscriptionResumeDocument);
  const cancel = useApiMutation(SubscriptionCancelDocument);
  const removeCoupon = useApiMutation(SubscriptionRemoveCouponDocument);
  const { id, status, cancelAt, currentPeriodEnd, customerAccount, coupon } = subscription;
  if (status === 'CANCELLED') return null;
  const entry = (key: Doing, isDanger = false): MenuEntry => ({
    key,
    words: t(`subscriptions.${key}`),
    isDanger,
    onSelect: () => setDoing(key),
  });
  const canEndLater = currentPeriodEnd && !cancelAt && status !== 'PENDING';
  const close = () => setDoing(undefined);
  const day = currentPeriodEnd ? formats.dayUtc(new Date(currentPeriodEnd)) : '';
  return (
    <>
      {status === 'PENDING' && (
        <Button look="primary" icon="link" onPress={() => setDoing('checkout')}>
          {t('subscriptions.checkout')}
        </Button>
      )}
      {status === 'PAUSED' && (
        <Button look="primary" onPress={() => setDoing('resume')}>
          {t('subscriptions.resume')}
        </Button>
      )}
      {status === 'ACTIVE' && (
        <>
          <Button onPress={() => setDoing('changePlan')}>{t('subscriptions.changePlan')}</Button>
          <Button onPress={() => setDoing('pause')}>{t('subscriptions.pause')}</Button>
        </>
      )}
      <Menu
        trigger={<Button icon="dots" aria-label={t('catalog.actionsOf', { name: t('subscriptions.one') })} />}
        entries={[
          ...(status === 'ACTIVE' || status === 'PAST_DUE' ? [entry('renewConsent')] : []),
          ...(status === 'PENDING' ? [] : [entry('applyCoupon')]),
          ...(coupon && status !== 'PENDING' ? [entry('removeCoupon')] : []),
          ...(canEndLater ? [entry('cancelLater', true)] : []),
          entry('cancelNow', true),
        ]}
      />
      {doing === 'changePlan' && <ChangePlanDialog subscription={subscription} onClose={close} />}
      {doing === 'checkout' && <CheckoutDialog id={id} email={customerAccount.email} onClose={close} />}
      {doing === 'renewConsent' && (
        <CheckoutDialog id={id} email={customerAccount.email} purpose="RENEW_CONSENT" onClose={close} />
      )}
      {doing === 'applyCoupon' && <CouponDialog id={id} onClose={close} />}
      {doing === 'removeCoupon' && (
        <ConfirmDialog
          title={t('subscriptions.removeCouponTitle')}
          about={t('subscriptions.removeCouponAbout')}
          action={t('subscriptions.removeCoupon')}
          done={t('subscriptions.couponRemoved')}
          mutation={removeCoupon}
          variables={{ id }}
          onClose={close}
        />
      )}
      {doing === 'pause' && (
        <ConfirmDialog
          title={t('subscriptions.pauseTitle')}
          about={t('subscriptions.pauseAbout')}
          action={t('subscriptions.pause')}
          done={t('subscriptions.paused')}
          mutation={pause}
          variables={{ id }}
          onClose={close}
        />
      )}
      {doing === 'resume' && (
        <ConfirmDialog
          title={t('subscriptions.resumeTitle')}
          about={t('subscriptions.resumeAbout')}
          action={t('subscriptions.resume')}
          done={t('subscriptions.resumed')}
          mutation={resume}
          variables={{ id }}
          onClose={close}
        />
      )}
      {(doing === 'cancelNow' || doing === 'cancelLater') && (
        <ConfirmDialog
          title={t('subscriptions.cancelTitle')}
          about={
            doing === 'cancelLater' ? t('subscriptions.cancelLaterAbout', { day }) : t('subscriptions.cancelNowAbout')
          }
          action={t(`subscriptions.${doing}`)}
          done={t('subscriptions.cancelled')}
          isDanger
          mutation={cancel}
          variables={{ id, cancelAtPeriodEnd: doing === 'cancelLater' }}
          onClose={close}
        />
      )}
    </>
  );
}
