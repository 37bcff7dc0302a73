/** The logo, color and texts that customers see on the hosted page, in emails and on invoices, with a live preview. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SettingsLogoPreviewDocument } from '../../../../../generated/web/documents.ts';
import { contrastOf, type Mode, readableAccent, surfaces } from '../../../../../src/catalog/accent.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Form } from '../../../ui/fields/form/form.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { Note } from '../../../ui/state/note.tsx';
import { useAsk } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../settings.module.css';
import { type SettingsOfApp, useSave } from '../use-save.ts';
import { BrandPreviews } from './brand-previews.tsx';
import { type BrandTexts, texts } from './brand-texts.ts';

/** The value of `--accent` in tokens.css. */
const OWN_ACCENT = '#2f55d4';
const TYPING_MS = 400;

export function LookForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error } = useSave();
  const [logoUrl, setLogoUrl] = useState(app.logoUrl ?? '');
  const [colour, setColour] = useState(app.accentColor ?? '');
  const [isTried, setTried] = useState(false);
  const [brandTexts, setBrandTexts] = useState<BrandTexts>({
    checkoutHeading: app.checkoutHeading ?? '',
    checkoutMessage: app.checkoutMessage ?? '',
    receiptMessage: app.receiptMessage ?? '',
    footerText: app.footerText ?? '',
  });
  const logo = useLogo(app, logoUrl.trim());
  const chosen = colour.trim().toLowerCase();
  const isColour = /^#[0-9a-f]{6}$/.test(chosen);
  const send = () => {
    setTried(true);
    if (chosen !== '' && !isColour) return;
    const wording = Object.fromEntries(texts.map(({ name }) => [name, brandTexts[name].trim() || null]));
    save({ logoUrl: logoUrl.trim() || null, accentColor: chosen || null, ...wording });
  };
  const actions = mayWrite && (
    <div>
      <Button look="primary" type="submit" isBusy={isSaving} busyWords={t('everywhere.saving')}>
        {t('settings.look.save')}
      </Button>
    </div>
  );
  return (
    <Form onSend={send} isBusy={isSaving} error={error} className={styles.form} actions={actions}>
      <Panel title={t('settings.parts.look')} about={t('settings.look.about')}>
        <div className={styles.fields}>
          <TextField
            label={t('settings.look.logo')}
            hint={t('settings.look.logoHint')}
            name="logoUrl"
            type="url"
            value={logoUrl}
            disabled={!mayWrite}
            onChange={(event) => setLogoUrl(event.target.value)}
          />
          <div className={styles.colour}>
            <TextField
              label={t('settings.look.colour')}
              hint={t('settings.look.colourHint')}
              error={isTried && chosen !== '' && !isColour ? t('settings.look.noColour') : undefined}
              name="accentColor"
              placeholder={OWN_ACCENT}
              value={colour}
              disabled={!mayWrite}
              onChange={(event) => setColour(event.target.value)}
            />
            <input
              type="color"
              aria-label={t('settings.look.pick')}
              className={styles.picker}
              value={isColour ? chosen : OWN_ACCENT}
              disabled={!mayWrite}
              onChange={(event) => setColour(event.target.value)}
            />
          </div>
        </div>
        {isColour && <ContrastNote colour={chosen} onUse={mayWrite ? setColour : undefined} />}
      </Panel>
      <Panel title={t('settings.look.texts')} about={t('settings.look.textsAbout')}>
        <div className={styles.fields}>
          {texts.map(({ name, most }) => (
            <TextArea
              key={name}
              label={t(`settings.look.${name}`)}
              hint={t('settings.look.limit', {
                about: t(`settings.look.${name}Hint`),
                count: brandTexts[name].length,
                most,
              })}
              name={name}
              rows={name === 'checkoutHeading' ? 1 : 3}
              maxLength={most}
              value={brandTexts[name]}
              disabled={!mayWrite}
              onChange={(event) => {
                // The texts have one line each, so a pasted line break becomes a space.
                const text = event.target.value.replace(/[\r\n]+/g, ' ');
                setBrandTexts((before) => ({ ...before, [name]: text }));
              }}
            />
          ))}
        </div>
      </Panel>
      <Panel title={t('settings.look.preview')} about={t('settings.look.previewAbout')}>
        <BrandPreviews name={app.name} logo={logo} colour={isColour ? chosen : OWN_ACCENT} brandTexts={brandTexts} />
      </Panel>
    </Form>
  );
}

/** The path from which the pages load the logo, even before it is saved. */
function useLogo(app: SettingsOfApp, typed: string): string | null {
  const { mayWrite } = useDashboard();
  const [asked, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isSaved = asked === (app.logoUrl ?? '');
  const isEnabled = mayWrite && !isSaved && /^https?:\/\/[^/\s]+\.?[^\s]*$/.test(asked);
  const { data } = useAsk(SettingsLogoPreviewDocument, { id: app.id, logoUrl: asked }, { isEnabled });
  if (asked === '') return null;
  return (isSaved ? app.proxiedLogoUrl : isEnabled ? data?.app.logoPreview : null) ?? null;
}

/** Where the contrast of the color is too low, and the shade that is used there instead. */
function ContrastNote({ colour, onUse }: { colour: string; onUse: ((colour: string) => void) | undefined }) {
  const { t } = useTranslation();
  const weak = (['light', 'dark'] as const).flatMap((mode: Mode) => {
    const shade = readableAccent(colour, surfaces[mode])?.accent;
    return shade === undefined || shade === colour
      ? []
      : [{ mode, shade, contrast: contrastOf(colour, surfaces[mode]) }];
  });
  const [first] = weak;
  if (!first) return <Note tone="good">{t('settings.look.readable')}</Note>;
  return (
    <Note
      tone="wait"
      title={t('settings.look.weak')}
      actions={
        onUse &&
        weak.length === 1 && (
          <Button size="small" onPress={() => onUse(first.shade)}>
            {t('settings.look.use', { colour: first.shade })}
          </Button>
        )
      }
    >
      <ul>
        {weak.map(({ mode, shade, contrast }) => (
          <li key={mode}>{t(`settings.look.weakOn.${mode}`, { contrast: contrast.toFixed(1), colour: shade })}</li>
        ))}
      </ul>
    </Note>
  );
}
