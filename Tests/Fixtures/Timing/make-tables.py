#!/usr/bin/env python3
"""Makes the tables that TimeZoneTests and CronExpressionTests are checked against.

    pip install cronsim && ./make-tables.py

zoneinfo/    time zones compiled from the system's tzdata.zi (public domain) in the slim form, whose rules carry
             nearly all of the present and the future; kept here so that the tables stay right when laws change
offsets.txt  every change of each zone's offset from 1900 to 2099, as Python's zoneinfo has it
cron.txt     the next runs of some thousand schedules, most of them around changes of the clocks

The runs are cronsim's, which follows Debian's cron. `agreed_runs` below states the same rule a second time, in the
plainest way, and has the last word: a line where the two differ is marked with "!". As of cronsim 2.8 they differ
  - in a repeated hour: asked for a fixed time there, cronsim may give a run that is already over;
  - where the clocks go forward at midnight: by real time cronsim adds a run at a time that does not fit, or loses
    those of the first hour;
  - where the clocks change by other than whole hours, or at other times than on the hour: by real time cronsim loses
    runs or gives one again and again, and in Pacific/Chatham it may never end.
"""

import bisect
import os
import random
import shutil
import subprocess
import zoneinfo
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cronsim import CronSim

HERE = Path(__file__).resolve().parent
UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RUNS = 10

ZONES = """
Africa/Cairo Africa/Casablanca America/Asuncion America/Caracas America/Havana America/Los_Angeles America/New_York
America/Nuuk America/Santiago America/Sao_Paulo America/St_Johns Antarctica/Casey Antarctica/Troll Asia/Amman
Asia/Beirut Asia/Gaza Asia/Kathmandu Asia/Kolkata Asia/Pyongyang Asia/Tehran Asia/Tokyo Atlantic/Azores
Australia/Lord_Howe Australia/Sydney Europe/Berlin Europe/Dublin Europe/Istanbul Europe/London Europe/Moscow
Pacific/Apia Pacific/Auckland Pacific/Chatham Pacific/Kiritimati
""".split()

# All changes of these years are in the table, and of the others every fourth.
YEARS = {1995, 2011, 2018, 2024, 2026, 2032, 2047}

EVERYDAY = """
* * * * *|*/5 * * * *|*/7 */3 * * *|0 * * * *|30 * * * *|15,45 * * * *|0 */2 * * *|0 0 * * *|10 0 * * *|50 23 * * *
30 2 * * *|0 3 * * *|15 2 * * *|0-59/20 1-3 * * *|*/20 2 * * *|5 0-23 * * *|0 0,12 1 */2 *|0 4 8-14 * *|0 0 1,15 * 3
0 12 * * MON-FRI|30 4 1,15 * 5|0 9 13 * 5|0 9 */2 * 1|0 22 * * 1-5|23 0-20/2 * * *|5 4 * * sun|0 0 * * 7|59 23 31 * *
0 9 * jan,JUL tue|0 0 1 1 *|*/30 0 * * *|* 0 * * *|0 0-1 * * *|1 0 * * *|0 1 * * *|45 1 * * *|0 0 29 2 *|0 12 */10 * */2
""".strip().replace("\n", "|").split("|")


def seconds(moment):
    return int((moment - EPOCH).total_seconds())


def local(zone, second):
    return (EPOCH + timedelta(seconds=second)).astimezone(zone)


def offset(zone, second):
    return int(local(zone, second).utcoffset().total_seconds())


def changes(zone, first_year, last_year):
    """Every second at which the offset changes, with the offset from then on; the first entry is the beginning."""
    start, end = (seconds(datetime(year, 1, 1, tzinfo=UTC)) for year in (first_year, last_year + 1))
    found = [(start, offset(zone, start))]
    for second in range(start, end, 6 * 3600):
        if offset(zone, second) == found[-1][1]:
            continue
        low, high = second - 6 * 3600, second
        while high - low > 1:
            middle = (low + high) // 2
            if offset(zone, middle) == found[-1][1]:
                low = middle
            else:
                high = middle
        found.append((high, offset(zone, high)))
    return found


def agreed_runs(schedule, zone, zone_changes, start):
    """Ringi's rule, minute by minute. `schedule` is a CronSim, of which only the parsed fields are used."""
    def fits_time(time):
        return time.minute in schedule.minutes and time.hour in schedule.hours

    def fits_day(day):
        return day.month in schedule.months and schedule.match_day(day)

    if schedule.parts[1].startswith("*") or schedule.parts[2].startswith("*"):
        change_seconds = [second for second, _ in zone_changes]
        second = start // 60 * 60 + 60
        while True:
            now = local(zone, second)
            if fits_day(now.date()):
                if fits_time(now):
                    yield second
                second += 60
            else:
                # A day begins at a quarter of an hour, or by a change of the clocks.
                index = bisect.bisect_right(change_seconds, second)
                following = change_seconds[index] if index < len(change_seconds) else second + 900
                second = min(second // 900 * 900 + 900, max(following, second + 60))
        return

    day = local(zone, start).date() - timedelta(days=2)
    last = start
    while True:
        if fits_day(day):
            for minute in range(24 * 60):
                time = datetime(day.year, day.month, day.day, minute // 60, minute % 60)
                if not fits_time(time):
                    continue
                second = seconds(time.replace(tzinfo=zone).astimezone(UTC))
                if local(zone, second).replace(tzinfo=None) != time:
                    # Skipped: it comes at the change.
                    second = next(change for change, _ in zone_changes if abs(change - second) < 36 * 3600
                                  and gap_has(zone, change, time))
                if second > last:
                    yield second
                    last = second
        day += timedelta(days=1)


def gap_has(zone, change, time):
    before = local(zone, change - 1).replace(tzinfo=None) + timedelta(seconds=1)
    return before <= time < local(zone, change).replace(tzinfo=None)


class BoundedCronSim(CronSim):
    """A CronSim that gives up where it would go round in a circle."""
    ticks = 0

    def tick(self, seconds=1):
        self.ticks += 1
        if self.ticks > 100_000:
            raise OverflowError
        super().tick(seconds)

    def runs(self, count):
        try:
            return [seconds(next(self).astimezone(UTC)) for _ in range(count)]
        except OverflowError:
            return None


def line(zone, zone_changes, expression, start, statistics):
    """One line of the table: start, mark, expression, and the minutes from one run to the next."""
    simulated = BoundedCronSim(expression, local(zone, start))
    count = 3 if simulated.parts[4] != "*" or "29" in simulated.parts[3] else RUNS
    agreed = agreed_runs(CronSim(expression, local(zone, start)), zone, zone_changes, start)
    agreed = [next(agreed) for _ in range(count)]
    differs = simulated.runs(count) != agreed
    statistics[differs] += 1
    steps, last = [], start // 60
    for run in agreed:
        assert run % 60 == 0
        steps.append(run // 60 - last)
        last = run // 60
    return f"{start}|{'!' if differs else ''}|{expression}|{squeezed(steps)}\n"


def squeezed(steps):
    """The steps with repeats as "1440x9"."""
    groups = []
    for step in steps:
        if groups and groups[-1][0] == step:
            groups[-1][1] += 1
        else:
            groups.append([step, 1])
    return " ".join(str(step) if count == 1 else f"{step}x{count}" for step, count in groups)


def around(zone, change):
    """Schedules for the hours of a change of the clocks."""
    before = local(zone, change - 60) + timedelta(minutes=1)
    after = local(zone, change)
    hours = sorted({before.hour, (before.hour - 1) % 24, after.hour, (after.hour + 1) % 24})
    hour, minute = random.choice(hours), random.choice([0, 1, 15, 29, 30, 31, 45, 59])
    return [
        f"{minute} {hour} * * *",
        f"{before.minute} {before.hour} * * *",
        f"{after.minute} {after.hour} * * *",
        f"{random.choice(['0,30', '10-50/20', '5,50'])} {','.join(map(str, hours))} * * *",
        random.choice([f"*/{random.choice([5, 10, 15, 20, 30])} {hour} * * *", f"{minute} */{random.choice([2, 3, 4])} * * *",
                       f"* {hour} * * *", f"{minute} * * * *"]),
        random.choice([f"{minute} {hour} {after.day} * *", f"*/15 {hour} {before.day} * *",
                       f"{minute} {hour} * * {after.isoweekday()}", f"{minute} * * * {before.isoweekday()}"]),
    ]


def scattered():
    """A random schedule."""
    def field(low, high):
        kind = random.randrange(6)
        first, last = sorted(random.sample(range(low, high + 1), 2))
        return ["*", str(first), f"{first}-{last}", f"{first},{last}", f"{first}-{last}/{random.randint(1, 7)}",
                f"*/{random.randint(2, (high - low + 1) // 2)}"][kind]
    minute, hour = field(0, 59), field(0, 23)
    day, month, weekday = field(1, 28), random.choice(["*", "*", "*", field(1, 12)]), random.choice(["*", field(0, 7)])
    return f"{minute} {hour} {random.choice(['*', day])} {month} {weekday}"


def compile_zones(folder):
    shutil.rmtree(folder, ignore_errors=True)
    whole = HERE / "zoneinfo.tmp"
    subprocess.run(["zic", "-b", "slim", "-d", whole, "/usr/share/zoneinfo/tzdata.zi"], check=True)
    for name in ZONES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(whole / name, folder / name)
    shutil.rmtree(whole)


def main():
    os.chdir(HERE)
    random.seed("Ringi")
    compile_zones(HERE / "zoneinfo")
    zoneinfo.reset_tzpath([str(HERE / "zoneinfo")])
    statistics = [0, 0]
    with open("offsets.txt", "w") as offsets, open("cron.txt", "w") as cron:
        offsets.write("# zone, then second:offset for each change, all in seconds; see make-tables.py\n")
        cron.write("# [zone]; start in seconds|! if cronsim differs|expression|minutes to each next run; see make-tables.py\n")
        for name in ZONES:
            zone = zoneinfo.ZoneInfo(name)
            all_changes = changes(zone, 1900, 2099)
            offsets.write(" ".join([name] + [f"{second}:{value}" for second, value in all_changes]) + "\n")
            cron.write(f"[{name}]\n")
            recent = [second for second, _ in all_changes if 1990 <= local(UTC, second).year < 2060]
            for index, change in enumerate(recent):
                if local(UTC, change).year not in YEARS and index % 4 != 0:
                    continue
                for expression in around(zone, change):
                    start = change - random.choice([0, 1, 60, 1800, 3600, 7200, 18000, 90000]) + random.choice([0, 0, 1234])
                    cron.write(line(zone, all_changes, expression, start, statistics))
            for expression in EVERYDAY + [scattered() for _ in range(40)]:
                start = random.randrange(seconds(datetime(1990, 1, 1, tzinfo=UTC)), seconds(datetime(2059, 1, 1, tzinfo=UTC)))
                cron.write(line(zone, all_changes, expression, start, statistics))
    print(f"cronsim agrees in {statistics[False]} lines and differs in {statistics[True]}")


if __name__ == "__main__":
    main()
