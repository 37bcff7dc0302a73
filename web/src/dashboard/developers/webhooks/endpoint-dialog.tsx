/** The dialog that creates or changes an endpoint: its URL and its event types. */
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  DeveloperCreateEndpointDocument,
  type DeveloperEndpointFragment,
  DeveloperEndpointsDocument,
  DeveloperUpdateEndpointDocument,
} from '../../../../../generated/web/documents.ts';
import { settings } from '../../../settings.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Checkbox } from '../../../ui/fields/checkbox.tsx';
import { Form } from '../../../ui/fields/form/form.tsx';
import { askToLeave } from '../../../ui/fields/form/unsaved-forms.ts';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import styles from '../developers.module.css';
import { KeySecret } from '../keys/key-secret.tsx';

type EndpointDialogProps = { endpoint?: DeveloperEndpointFragment; onClose: () => void };

export function EndpointDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [url, setUrl] = useState(endpoint?.url ?? 'https://');
  const [isOrdered, setOrdered] = useState(endpoint?.ordered ?? false);
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? ['*']);
  const list = { changes: [DeveloperEndpointsDocument] };
  const create = useApiMutation(DeveloperCreateEndpointDocument, list);
  const update = useApiMutation(DeveloperUpdateEndpointDocument, list);
  const error = create.error ?? update.error;
  const secret = create.data?.createWebhookEndpoint.secret;
  const isAll = events.includes('*');

  const isBusy = create.isPending || update.isPending;
  const id = useId();
  const store = () => {
    const input = { url: url.trim(), events: isAll ? ['*'] : [...events], ordered: isOrdered };
    if (endpoint) update.mutate({ appId: app.id, id: endpoint.id, input }, { onSuccess: onClose });
    else create.mutate({ appId: app.id, input });
  };
  const toggle = (type: string, isOn: boolean) =>
    setEvents((known) => (isOn ? [...known.filter((one) => one !== '*'), type] : known.filter((one) => one !== type)));

  return (
    <Dialog
      isOpen
      isWide
      onClose={() => askToLeave(onClose)}
      title={
        secret
          ? t('developers.webhooks.madeTitle')
          : t(endpoint ? 'developers.webhooks.edit' : 'developers.webhooks.create')
      }
      about={secret ? t('developers.webhooks.secretAbout') : undefined}
      actions={
        secret ? (
          <Button look="primary" onPress={onClose}>
            {t('developers.keys.stored')}
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
            <Button type="submit" form={id} look="primary" isBusy={isBusy} isDisabled={events.length === 0}>
              {t(endpoint ? 'developers.webhooks.store' : 'developers.webhooks.create')}
            </Button>
          </>
        )
      }
    >
      {secret ? (
        <KeySecret secret={secret} name={t('developers.webhooks.secret')} />
      ) : (
        <Form
          id={id}
          onSend={store}
          isBusy={isBusy}
          isDisabled={events.length === 0}
          error={error}
          className={styles.form}
        >
          <TextField
            label={t('developers.webhooks.url')}
            hint={t('developers.webhooks.urlHint')}
            name="url"
            type="url"
            value={url}
            maxLength={2048}
            onChange={(event) => setUrl(event.target.value)}
          />
          <Checkbox
            label={t('developers.webhooks.all')}
            isChecked={isAll}
            onChange={(isOn) => setEvents(isOn ? ['*'] : ['payment_intent.settled'])}
          />
          {!isAll && (
            <fieldset className={styles.checks}>
              <legend className="visually-hidden">{t('developers.webhooks.events')}</legend>
              {settings.eventTypes.map((type) => (
                <Checkbox
                  key={type}
                  label={type}
                  isChecked={events.includes(type)}
                  onChange={(isOn) => toggle(type, isOn)}
                />
              ))}
            </fieldset>
          )}
          <Checkbox label={t('developers.webhooks.ordered')} isChecked={isOrdered} onChange={setOrdered} />
        </Form>
      )}
    </Dialog>
  );
}
