"""Tables of many kinds, and questions about them in people's words.

Each line of ``ANSWERED``: table; question; operation; the first cells of the rows that answer; the columns that were
asked for (empty: any). Each line of ``UNANSWERED``: table; question about something that the table does not hold.
"""

TABLES = {
    "parts": """Part | Channels | Max. rate (MT/s) | VCCQ | Density | CRC
SX-100 | 256 | 400 | 1.7 - 1.95 V | 64 MB | no
SX-200 | 512 | 800 | 1.14 - 1.26 V | 256 MB | yes
SX-220 | 512 | 1200 | 1.14 - 1.26 V | 1 GB | yes
SX-300 | 1,024 | 1600 | 1.14 - 1.26 V | 2 GB | yes
SX-900 | n/a | 3200 | 1.05 V | n/a | optional""",
    "options": """Option | Meaning | Default | Since
-j, --jobs N | number of files compressed at the same time | 1 | 1.2
-l, --level N | compression level from 1 to 9 | 6 | 0.9
--keep | keep the input files | off | 1.0
--memory-limit SIZE | most memory that may be used | 128 MiB | 2.0
--timeout MS | give up after so many milliseconds | 30000 | 2.1
--quiet | suppress warnings | off | 1.0""",
    "plans": """Plan | Price per month | Users | Storage | Support
Basic | €9 | 5 | 10 GB | e-mail
Team | €29 | 25 | 100 GB | e-mail, phone
Business | €99 | 200 | 1 TB | e-mail, phone, on site
Enterprise | on request | unlimited | unlimited | e-mail, phone, on site""",
    "contacts": """Team | Contact | Phone | Room
Facilities | Ines Novak | ext. 4300 | B 1.04
Payroll | Tom Reyes | ext. 4455 | A 2.11
IT service desk | Mara Lind | ext. 4000 | A 0.01
Security | Jon Park | ext. 4999 | gate 2""",
    "releases": """Version | Codename | Released | End of life | Status
18 | Hydrogen | 2022-04-19 | 2025-04-30 | end of life
20 | Iron | 2023-04-18 | 2026-04-30 | maintenance
22 | Jod | 2024-04-24 | 2027-04-30 | active
23 | - | 2024-10-16 | 2025-06-01 | end of life
24 | Krypton | 2025-05-06 | 2028-04-30 | current""",
    "error codes": """Code | Name | Cause | What to do
E01 | ECONNREFUSED | no service listens on the port | start the service
E02 | ETIMEDOUT | no reply within 30 s | check the network
E07 | EACCES | the file belongs to another user | change the owner or the mode
E12 | ENOSPC | the disk is full | delete old files""",
    "hashes": """Function | Digest size (bytes) | Block size | Secure
MD5 | 16 | 64 | no
SHA1 | 20 | 64 | no
SHA256 | 32 | 64 | yes
SHA384 | 48 | 128 | yes
SHA512 | 64 | 128 | yes""",
    "timing": """Parameter | Symbol | Min | Typ | Max | Unit
Page read | tR | | 50 | 70 | µs
Program | tPROG | | 600 | 2000 | µs
Block erase | tBERS | | 3 | 10 | ms
Reset (idle) | tRST | | | 5 | µs
Clock period | tCK | 2.5 | | | ns""",
    "features by system": """ | Linux | macOS | Windows
Recursive watch | yes | yes | yes
Symbolic links | yes | yes | with admin rights
Named pipes | yes | yes | -
Hard links | ✓ | ✓ | ✓
Extended attributes | ✓ | ✗ |""",
    "courses": """Course | Day | Start | Duration | Trainer | Places
Forklift basics | Monday | 08:30 | 2 days | R. Okafor | 12
First aid | Tuesday | 09:00 | 8 hours | L. Brandt | 16
Ladder inspection | Monday | 13:00 | 90 min | R. Okafor | 8
Working at height | Thursday | 08:00 | 3 days | P. Silva | 6""",
    "pumps": """Model | Supply Voltage (V) | Supply Current (A) | Flow (l/min) | Weight (kg) | Noise
Indoor, P-200 | 24 | 1.5 | 12 | 3.2 | 48 dB
Indoor, P-300 | 48 | 1.1 | 30 | 4.7 | 55 dB
Outdoor, P-550 | 230 | 0.9 | 75 | 11 | <= 62 dB
Outdoor, P-800 | 230 | 2.4 | | 18.5""",
    "roles": """| Role | Read | Write | Delete | Max upload |
|---|---|---|---|---|
| Guest | yes | no | no | 5 MB |
| Editor | yes | yes | no | 50 MB |
| Maintainer | yes | yes | own files | 512 MB |
| Admin | yes | yes | yes | 2 GB |""",
}

ANSWERED = """
parts; which parts have more than 500 channels; filter; SX-200, SX-220, SX-300; Channels
parts; How many parts support CRC?; count; SX-200, SX-220, SX-300; CRC
parts; Which part has the highest rate?; extreme; SX-900; Max. rate (MT/s)
parts; Compare the SX-200 and the SX-300; compare; SX-200, SX-300;
parts; which parts can do at least 1.2 GT/s; filter; SX-220, SX-300, SX-900; Max. rate (MT/s)
parts; Which parts run at 1.2 V?; filter; SX-200, SX-220, SX-300; VCCQ
options; what does -l do; cell; -l, --level N; Meaning
options; Which options are off by default?; filter; --keep, --quiet; Default
plans; which is the cheapest plan; extreme; Basic; Price per month
plans; which plans cost less than 50 euros?; filter; Basic, Team; Price per month
contacts; Whose extension is 4999?; filter; Security; Phone
releases; Which versions were released after 2023?; filter; 22, 23, 24; Released
releases; When does Jod reach its end of life?; cell; 22; End of life
error codes; what to do when the disk is full?; cell; E12; What to do
hashes; which functions have a digest of more than 32 bytes; filter; SHA384, SHA512; Digest size (bytes)
hashes; what's the block size of SHA-256; cell; SHA256; Block size
hashes; Which functions are not secure?; filter; MD5, SHA1; Secure
timing; How long does a block erase take at most?; cell; Block erase; Max
features by system; Which of these are not available on macOS?; filter; Extended attributes; macOS
courses; How long is the first aid course?; cell; First aid; Duration
courses; which courses take longer than one day; filter; Forklift basics, Working at height; Duration
courses; which course has the fewest places; extreme; Working at height; Places
courses; What courses are there?; list; Forklift basics, First aid, Ladder inspection, Working at height; Course
pumps; Which outdoor models are there?; filter; Outdoor, P-550 + Outdoor, P-800;
pumps; Which is heavier, the P-300 or the P-550?; extreme; Outdoor, P-550; Weight (kg)
pumps; models that weigh under 4000 g; filter; Indoor, P-200; Weight (kg)
pumps; which is the quietest model; extreme; Indoor, P-200; Noise
roles; Which roles may delete?; filter; Maintainer, Admin; Delete
"""

UNANSWERED = """parts; How many bytes does the SX-100 hold?
parts; Which part has the lowest power consumption?
parts; What is the VCCQ of the SX-500?
contacts; What is the e-mail address of payroll?
error codes; What does E44 mean?
features by system; Does FreeBSD support hard links?
courses; how much does the first aid course cost?
"""
