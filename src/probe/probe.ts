import type { Config } from "../config.ts";
import { lookAtTags, lookBehindTheEnd, lookForPrivate } from "./answers.ts";
import { lookAtArticles } from "./articles.ts";
import { findAttachments, findUnseen } from "./attachments.ts";
import { findBase } from "./base.ts";
import { findEndpoints } from "./endpoints.ts";
import { lookAtFiles } from "./files.ts";
import { readIndexes } from "./indexes.ts";
import type { Prober } from "./prober.ts";
import { beginSurvey, type Survey } from "./survey.ts";

/**
 * Finds out with a few requests how an origin answers where the API document leaves it open.
 *
 * @throws ApiError where the token is refused or there is no article index at all
 */
export async function surveyOrigin(prober: Prober, origin: Config["origin"]): Promise<Survey> {
  const survey = beginSurvey(prober, origin);
  // The most important questions come first: what is left of the budget goes to the others.
  for (const step of steps) await step(survey);
  return survey;
}

const steps = [
  findBase,
  readIndexes,
  lookForPrivate,
  lookAtArticles,
  findAttachments,
  lookAtFiles,
  findEndpoints,
  lookAtTags,
  lookBehindTheEnd,
  findUnseen,
];
