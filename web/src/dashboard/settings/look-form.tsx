/** The logo and the colour of the pages that payers see, with how they will look. */
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { contrastOf, readableAccent } from '../../../../src/auth/brand/accent.ts';
import { Button } from '../../ui/button/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';
import { type SettingsOfApp, useSave } from './use-save.ts';

/** As `--surface` and `--ink` in tokens.css have them. */
const samples = [
  { mode: 'light', surface: '#ffffff' },
  { mode: 'dark', surface: '#171b21' },
] as const;

export function LookForm({ app }: { app: SettingsOfApp }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const { save, isSaving, error, faultOf } = useSave();
  const [logoUrl, setLogoUrl] = useState(app.logoUrl ?? '');
  const [colour, setColour] = useState(app.accentColor ?? '');
  const isColour = /^#[0-9a-f]{6}$/i.test(colour.trim());
  const send = (event: FormEvent) => {
    event.preventDefault();
    save({ logoUrl: logoUrl.trim() || null, accentColor: colour.trim().toLowerCase() || null });
  };
  return (
    <form onSubmit={send} className={styles.form} noValidate>
      <Panel title={t('settings.parts.look')} about={t('settings.look.about')}>
        <div className={styles.fields}>
          <TextField
            label={t('settings.look.logo')}
            hint={t('settings.look.logoHint')}
            error={faultOf('logoUrl')}
            type="url"
            value={logoUrl}
            disabled={!mayWrite}
            onChange={(event) => setLogoUrl(event.target.value)}
          />
          <div className={styles.colour}>
            <TextField
              label={t('settings.look.colour')}
              hint={t('settings.look.colourHint')}
              error={colour.trim() !== '' && !isColour ? t('settings.look.noColour') : faultOf('accentColor')}
              placeholder="#2f55d4"
              value={colour}
              disabled={!mayWrite}
              onChange={(event) => setColour(event.target.value)}
            />
            <input
              type="color"
              aria-label={t('settings.look.pick')}
              className={styles.picker}
              value={isColour ? colour.trim().toLowerCase() : '#2f55d4'}
              disabled={!mayWrite}
              onChange={(event) => setColour(event.target.value)}
            />
          </div>
        </div>
        {app.proxiedLogoUrl && (
          <img src={app.proxiedLogoUrl} alt={t('settings.look.logoOf', { name: app.name })} className={styles.logo} />
        )}
        {isColour && (
          <ul className={styles.samples} aria-label={t('settings.look.samples')}>
            {samples.map(({ mode, surface }) => {
              const colours = readableAccent(colour.trim(), surface);
              if (!colours) return null;
              const isCorrected = colours.accent.toLowerCase() !== colour.trim().toLowerCase();
              return (
                <li key={mode} className={styles.sample} style={{ background: surface }}>
                  <span className={styles.sampleButton} style={{ background: colours.accent, color: colours.onAccent }}>
                    {t('settings.look.pay')}
                  </span>
                  <span style={{ color: contrastOf('#4d5663', surface) >= 4.5 ? '#4d5663' : '#b1bac6' }}>
                    {t(isCorrected ? 'settings.look.corrected' : 'settings.look.asItIs')}
                  </span>
                </li>
              );
            })}
          </ul>
        )}
        <ErrorNote error={error} />
      </Panel>
      {mayWrite && (
        <div>
          <Button
            look="primary"
            type="submit"
            isBusy={isSaving}
            isDisabled={colour.trim() !== '' && !isColour}
            busyWords={t('everywhere.saving')}
          >
            {t('settings.look.save')}
          </Button>
        </div>
      )}
    </form>
  );
}
