-- The layout of a store of labels as version 1 made it.
CREATE TABLE label_schema (
	version INTEGER NOT NULL
);
CREATE TABLE label_events (
	seq BIGINT NOT NULL,
	id VARCHAR(36) NOT NULL,
	time VARCHAR(40) NOT NULL,
	annotator TEXT NOT NULL,
	item TEXT NOT NULL,
	factor TEXT NOT NULL,
	level INTEGER,
	action VARCHAR(16) NOT NULL,
	seconds_shown DOUBLE NOT NULL,
	guideline TEXT NOT NULL,
	suggested BOOLEAN NOT NULL,
	repeat BOOLEAN NOT NULL,
	"plan" TEXT NOT NULL,
	undoes VARCHAR(36) NOT NULL,
	PRIMARY KEY (seq),
	UNIQUE (id)
);
CREATE INDEX ix_label_events_undoes ON label_events (undoes);
CREATE TABLE label_documents (
	kind VARCHAR(40) NOT NULL,
	id VARCHAR(80) NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (kind, id)
);
CREATE VIEW current_labels AS SELECT kind, seq, id, time, annotator, item, factor, level, action, seconds_shown, guideline, suggested, repeat, plan, undoes
FROM (SELECT standing.kind AS kind, standing.seq AS seq, standing.id AS id, standing.time AS time, standing.annotator AS annotator, standing.item AS item, standing.factor AS factor, standing.level AS level, standing.action AS action, standing.seconds_shown AS seconds_shown, standing.guideline AS guideline, standing.suggested AS suggested, standing.repeat AS repeat, standing."plan" AS "plan", standing.undoes AS undoes, row_number() OVER (PARTITION BY standing.annotator, standing.kind, standing.item, standing.factor ORDER BY standing.seq DESC) AS place
FROM (SELECT CASE WHEN (e.action = 'adjudicate') THEN 'adjudication' WHEN (e.action = 'skip') THEN 'skip' WHEN (e.action IN ('flag', 'unflag')) THEN 'flag' WHEN e.repeat THEN 'repeat' ELSE 'label' END AS kind, e.seq AS seq, e.id AS id, e.time AS time, e.annotator AS annotator, e.item AS item, e.factor AS factor, e.level AS level, e.action AS action, e.seconds_shown AS seconds_shown, e.guideline AS guideline, e.suggested AS suggested, e.repeat AS repeat, e."plan" AS "plan", e.undoes AS undoes
FROM label_events AS e
WHERE e.action != 'undo' AND e.action != 'adjudicate' AND NOT (EXISTS (SELECT *
FROM label_events AS u
WHERE u.undoes = e.id AND u.annotator = e.annotator AND u.action = 'undo'))) AS standing) AS ranked
WHERE ranked.place = 1 AND ranked.action != 'unflag';
CREATE VIEW current_adjudications AS SELECT kind, seq, id, time, annotator, item, factor, level, action, seconds_shown, guideline, suggested, repeat, plan, undoes
FROM (SELECT standing.kind AS kind, standing.seq AS seq, standing.id AS id, standing.time AS time, standing.annotator AS annotator, standing.item AS item, standing.factor AS factor, standing.level AS level, standing.action AS action, standing.seconds_shown AS seconds_shown, standing.guideline AS guideline, standing.suggested AS suggested, standing.repeat AS repeat, standing."plan" AS "plan", standing.undoes AS undoes, row_number() OVER (PARTITION BY standing.item, standing.factor ORDER BY standing.seq DESC) AS place
FROM (SELECT CASE WHEN (e.action = 'adjudicate') THEN 'adjudication' WHEN (e.action = 'skip') THEN 'skip' WHEN (e.action IN ('flag', 'unflag')) THEN 'flag' WHEN e.repeat THEN 'repeat' ELSE 'label' END AS kind, e.seq AS seq, e.id AS id, e.time AS time, e.annotator AS annotator, e.item AS item, e.factor AS factor, e.level AS level, e.action AS action, e.seconds_shown AS seconds_shown, e.guideline AS guideline, e.suggested AS suggested, e.repeat AS repeat, e."plan" AS "plan", e.undoes AS undoes
FROM label_events AS e
WHERE e.action != 'undo' AND e.action = 'adjudicate' AND NOT (EXISTS (SELECT *
FROM label_events AS u
WHERE u.undoes = e.id AND u.annotator = e.annotator AND u.action = 'undo'))) AS standing) AS ranked
WHERE ranked.place = 1 AND ranked.action != 'unflag';
CREATE TRIGGER label_events_no_replace BEFORE INSERT ON label_events WHEN EXISTS (SELECT 1 FROM label_events WHERE seq = NEW.seq OR id = NEW.id) BEGIN SELECT RAISE(ABORT, 'label_events takes new rows only'); END;
CREATE TRIGGER label_events_no_update BEFORE UPDATE ON label_events BEGIN SELECT RAISE(ABORT, 'label_events takes new rows only'); END;
CREATE TRIGGER label_events_no_delete BEFORE DELETE ON label_events BEGIN SELECT RAISE(ABORT, 'label_events takes new rows only'); END;
CREATE TRIGGER label_documents_no_update BEFORE UPDATE ON label_documents BEGIN SELECT RAISE(ABORT, 'label_documents takes new rows only'); END;
CREATE TRIGGER label_documents_no_delete BEFORE DELETE ON label_documents BEGIN SELECT RAISE(ABORT, 'label_documents takes new rows only'); END;
INSERT INTO label_schema VALUES (1);
