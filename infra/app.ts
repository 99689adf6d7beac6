import { App } from 'aws-cdk-lib';
import { AppError } from '../lib/model/app-error';
import { synthesizeApp } from './synthesize-app';

try {
  synthesizeApp(new App(), (warning) => process.stderr.write(`warning: ${warning}\n`));
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
