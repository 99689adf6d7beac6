import { RunControl } from '../../lib/polling/run-control';
import { registryRow } from '../support/registry-rows';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

describe('the end of a run', () => {
  test('has no reason before it comes, and then the first', () => {
    const control = new RunControl();
    expect(control.reason).toBeUndefined();
    expect(control.ending.aborted).toBe(false);
    expect(control.end('handover')).toBe('handover');
    expect(control.end('stopped')).toBe('handover');
    expect(control.reason).toBe('handover');
  });

  test('ends what is under way, and the waiting for the next reading', () => {
    const control = new RunControl();
    const { interrupted } = control;
    control.end('max-run');
    expect(control.ending.aborted).toBe(true);
    expect(interrupted.aborted).toBe(true);
  });

  test('is not forgotten by a reading that begins after it', () => {
    const control = new RunControl();
    control.end('stopped');
    control.beginFullReading(registryRow({}));
    expect(control.interrupted.aborted).toBe(true);
  });

  test('comes with a hand-over that somebody asks for, and with nothing else in the row', () => {
    const control = new RunControl();
    control.consider(registryRow({}));
    expect(control.reason).toBeUndefined();
    control.consider(registryRow({ handover: 'you' }));
    expect(control.reason).toBe('handover');
  });
});

describe('a full reading that is asked for', () => {
  test('interrupts, and does not end the run', () => {
    const control = new RunControl();
    control.consider(registryRow({ requestedAt: at(1) }));
    expect(control.interrupted.aborted).toBe(true);
    expect(control.ending.aborted).toBe(false);
  });

  test('is served by the reading that begins after it, and by no earlier one', () => {
    const control = new RunControl();
    control.beginFullReading(registryRow({}));
    expect(control.isUnserved(registryRow({ requestedAt: at(1) }))).toBe(true);
    control.consider(registryRow({ requestedAt: at(1) }));
    control.beginFullReading(registryRow({ requestedAt: at(1) }));
    expect(control.interrupted.aborted).toBe(false);
    control.consider(registryRow({ requestedAt: at(1) }));
    expect(control.interrupted.aborted).toBe(false);
  });

  test('is known by its value, whatever its time: another machine’s clock may be behind', () => {
    const control = new RunControl();
    control.beginFullReading(registryRow({ requestedAt: at(5) }));
    expect(control.isUnserved(registryRow({ requestedAt: at(5) }))).toBe(false);
    expect(control.isUnserved(registryRow({ requestedAt: at(2) }))).toBe(true);
  });

  test('is not there without a row, or without a request', () => {
    const control = new RunControl();
    expect(control.isUnserved(undefined)).toBe(false);
    expect(control.isUnserved(registryRow({}))).toBe(false);
    control.beginFullReading(registryRow({ requestedAt: at(5) }));
    expect(control.isUnserved(registryRow({}))).toBe(false);
  });
});
